import Synchronization

/// The progress of background work, and whether it is still wanted. It works from any thread.
public final class WorkProgress: Sendable {
  private struct WorkState {
    var completed = 0
    var total: Int?
    var isCancelled = false
  }

  private let state = Mutex(WorkState())
  private let tell: (@Sendable (WorkProgress) -> Void)?

  init(_ tell: (@Sendable (WorkProgress) -> Void)?) { self.tell = tell }

  /// The pieces of work done.
  public var completed: Int { state.withLock { $0.completed } }

  /// All pieces of work, once that is known.
  public var total: Int? { state.withLock { $0.total } }

  /// Whether the work was cancelled; it ends at its next `check()`.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Says how far the work is, and throws `CancellationError` if it is no longer wanted.
  public func report(_ completed: Int, of total: Int? = nil) throws {
    state.withLock { state in
      state.completed = completed
      if let total { state.total = total }
    }
    tell?(self)
    try check()
  }

  /// Throws `CancellationError` if the work is no longer wanted.
  public func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Makes the work end at its next `check()` or `report(_:of:)`.
  public func cancel() { state.withLock { $0.isCancelled = true } }
}

extension WorkProgress: CancellableWork {}
