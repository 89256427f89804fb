import Dispatch
import Synchronization

/// An executor that notes how long each piece of work holds it: nothing else of its actor runs
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

  /// The nanoseconds of each piece of work since this was last asked.
  func take() -> [Double] {
    held.withLock { held in
      defer { held = [] }
      return held
    }
  }
}
