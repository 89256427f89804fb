import Dispatch
import Synchronization

/// A serial executor that measures how long each job of its actor runs. No other job of the actor
/// runs during this time.
final class IsolationClock: SerialExecutor {
  private let queue = DispatchQueue(label: "benchmarks.isolation")
  private let held = Mutex<[Double]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      let start = ContinuousClock.now
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      let time = Stopwatch.nanoseconds(since: start)
      self.held.withLock { $0.append(time) }
    }
  }

  /// Returns the durations of the jobs since the last call of this function, in nanoseconds.
  func take() -> [Double] {
    held.withLock { held in
      defer { held = [] }
      return held
    }
  }
}

/// The durations of all jobs on the tree's isolation, in nanoseconds, from all samples.
@MainActor final class HeldTimes {
  var times: [Double] = []
}
