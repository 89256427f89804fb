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
    /// The lanes that have jobs and no thread. While there are any, no thread is idle.
    var lanes = Turns<StoreLane>()
    /// The threads that wait for a lane. The one that began to wait last is the first to get one.
    var idle: [Worker] = []
    var count = 0
  }

  /// A thread that waits for a lane. It is given one, so that it need not lock the crew after all
  /// others that were woken (`LiveSessions`).
  private final class Worker: Sendable {
    private let given = Mutex<StoreLane?>(nil)
    private let isWanted = DispatchSemaphore(value: 0)

    func give(_ lane: StoreLane) {
      given.withLock { $0 = lane }
      isWanted.signal()
    }

    /// Waits for a lane. Returns nil if the time is over.
    func wait(until end: DispatchTime) -> StoreLane? {
      isWanted.wait(timeout: end) == .success ? given.withLock { $0.take() } : nil
    }
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
    let (idle, isNew) = crew.withLock { crew -> (Worker?, Bool) in
      if let worker = crew.idle.popLast() { return (worker, false) }
      guard crew.count < maximum else {
        crew.lanes.add(lane)
        return (nil, false)
      }
      crew.count += 1
      return (nil, true)
    }
    // A thread that is woken while the crew is locked would have to wait at once.
    idle?.give(lane)
    if isNew { Thread { [self] in work(lane) }.start() }
  }

  /// Gives turns to lanes until none has waited for some time.
  private func work(_ first: StoreLane) {
    Thread.current.name = "lineage.store"
    let worker = Worker()
    var next: StoreLane? = first
    while let lane = next {
      let hasMore = lane.runJob()
      next = self.next(for: worker, after: hasMore ? lane : nil)
    }
  }

  /// Returns the lane whose turn it is, after putting the last one back if it has more jobs. Waits if
  /// there is none. Returns nil if the thread is to end.
  private func next(for worker: Worker, after last: StoreLane?) -> StoreLane? {
    let lane = crew.withLock { crew -> StoreLane? in
      if let last { crew.lanes.add(last) }
      if let lane = crew.lanes.take() { return lane }
      crew.idle.append(worker)
      return nil
    }
    if let lane = lane ?? worker.wait(until: .now() + idleTime) { return lane }
    let isEnding = crew.withLock { crew in
      guard let place = crew.idle.firstIndex(where: { $0 === worker }) else { return false }
      crew.idle.remove(at: place)
      crew.count -= 1
      return true
    }
    // If another thread has taken this worker meanwhile, its lane comes at any moment.
    return isEnding ? nil : worker.wait(until: .distantFuture)
  }
}
