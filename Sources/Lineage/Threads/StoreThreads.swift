package import Dispatch
import Foundation
import Synchronization

/// Threads that may wait, for trees whose store is on a server.
///
/// A read of an object is a call that returns its value, so it waits for the server. On the threads of
/// Swift's own pool, of which there are as many as processors, some waiting reads would keep all other
/// tasks of the program from running. An actor whose executor is a lane of these threads waits on one of
/// them instead:
///
/// ```swift
/// actor Session {
///   private let lane: StoreLane
///   nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }
///
///   init(on threads: StoreThreads) { lane = threads.lane() }
/// }
/// ```
///
/// The lanes take turns, a job at a time. So the number of threads limits how many actors wait at the
/// same time, not how many there are. A thread begins when it is needed, and ends after ten idle
/// seconds.
public final class StoreThreads: Sendable {
  private struct Crew {
    /// The lanes that have jobs and no thread.
    var lanes = Turns<StoreLane>()
    /// The threads that wait for a lane. The one that began to wait last is the first to get one.
    var idle: [Worker] = []
    var count = 0
  }

  /// A thread that waits for a lane.
  private final class Worker: Sendable {
    let isWanted = DispatchSemaphore(value: 0)
  }

  /// The greatest number of threads.
  public let maximum: Int
  private let crew = Mutex(Crew())
  private let idleTime: DispatchTimeInterval

  /// Creates threads, of which none begins before a lane has a job.
  ///
  /// A thread can wait for at most one connection, so more threads than a store has connections make
  /// no read faster.
  ///
  /// - Precondition: `maximum` is at least one.
  public convenience init(maximum: Int) { self.init(maximum: maximum, idleTime: .seconds(10)) }

  package init(maximum: Int, idleTime: DispatchTimeInterval) {
    precondition(maximum > 0, "StoreThreads need at least one thread, not \(maximum)")
    self.maximum = maximum
    self.idleTime = idleTime
  }

  /// Returns a new lane, for one actor or for one task that owns a tree.
  ///
  /// - Complexity: O(1). A lane has no thread while it has no jobs.
  public func lane() -> StoreLane { StoreLane(of: self) }

  /// The number of threads that exist now, for tests.
  package var count: Int { crew.withLock { $0.count } }

  /// Gives a lane that has jobs a turn on a thread.
  func run(_ lane: StoreLane) {
    let isFirst = crew.withLock { crew -> Bool in
      crew.lanes.add(lane)
      if let worker = crew.idle.popLast() {
        worker.isWanted.signal()
        return false
      }
      guard crew.count < maximum else { return false }
      crew.count += 1
      return true
    }
    if isFirst { Thread { [self] in work() }.start() }
  }

  /// Gives turns to lanes until none has waited for some time.
  private func work() {
    Thread.current.name = "lineage.store"
    let worker = Worker()
    while let lane = next(for: worker) {
      if lane.runJob() { run(lane) }
    }
  }

  /// Waits for a lane. Returns nil if the thread is to end.
  private func next(for worker: Worker) -> StoreLane? {
    while true {
      let lane = crew.withLock { crew -> StoreLane? in
        if let lane = crew.lanes.take() { return lane }
        crew.idle.append(worker)
        return nil
      }
      if let lane { return lane }
      if worker.isWanted.wait(timeout: .now() + idleTime) == .success { continue }
      let isEnding = crew.withLock { crew in
        guard let place = crew.idle.firstIndex(where: { $0 === worker }) else { return false }
        crew.idle.remove(at: place)
        crew.count -= 1
        return true
      }
      if isEnding { return nil }
      // A lane came at the last moment, and its signal with it.
      worker.isWanted.wait()
    }
  }
}
