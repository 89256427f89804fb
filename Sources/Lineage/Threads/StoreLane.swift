import Foundation
import Synchronization

/// The executor of one actor, whose jobs run on ``StoreThreads``: one at a time, in their order.
///
/// An actor keeps its lane in a `let`, because `unownedExecutor` does not retain it. Two actors with one
/// lane would wait for each other.
///
/// A tree that no actor owns, but a task, lives in the task's lane:
///
/// ```swift
/// try await withTaskExecutorPreference(threads.lane()) {
///   let application = Application()
///   …
/// }
/// ```
///
/// The preference is for functions without an actor only. It does not move the code of an actor that has
/// no lane of its own.
public final class StoreLane: SerialExecutor, TaskExecutor {
  private struct Jobs {
    var waiting = Turns<UnownedJob>()
    /// Whether the lane has a thread or waits for one.
    var isRunning = false
  }

  private let threads: StoreThreads
  private let jobs = Mutex(Jobs())
  /// The identity of the thread that runs a job of this lane; zero while none does.
  private let thread = Atomic<UInt>(0)

  init(of threads: StoreThreads) { self.threads = threads }

  /// Adds a job, which runs after those that were added before. Priorities are ignored, so that the jobs
  /// of an actor keep their order.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = jobs.withLock { jobs in
      defer { jobs.isRunning = true }
      jobs.waiting.add(job)
      return !jobs.isRunning
    }
    if isFirst { threads.run(self) }
  }

  /// Runs the first job. Returns whether there are others.
  func runJob() -> Bool {
    guard let job = jobs.withLock({ $0.waiting.take() }) else { return false }
    thread.store(Self.currentThread, ordering: .relaxed)
    unsafe job.runSynchronously(
      isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    thread.store(0, ordering: .relaxed)
    return jobs.withLock { jobs in
      jobs.isRunning = !jobs.waiting.isEmpty
      return jobs.isRunning
    }
  }

  /// Returns whether the current thread runs a job of this lane.
  public func isIsolatingCurrentContext() -> Bool? {
    thread.load(ordering: .relaxed) == Self.currentThread
  }

  /// Stops the program unless the current thread runs a job of this lane.
  public func checkIsolated() {
    precondition(
      isIsolatingCurrentContext() == true, "this code must run on the lane of its actor")
  }

  private static var currentThread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }
}
