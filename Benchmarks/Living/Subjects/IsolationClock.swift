import Dispatch
import Synchronization

/// A serial executor that records how long each job holds it. No other job of its actor runs
/// meanwhile.
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

  /// Returns the nanoseconds of each job since the last call, and clears the record.
  func take() -> [Double] {
    held.withLock { held in
      defer { held = [] }
      return held
    }
  }
}
