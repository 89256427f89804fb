import Synchronization

/// The progress of background work, through which the work can also be cancelled. It can be used
/// from any thread.
public final class WorkProgress: Sendable {
  private struct WorkState {
    var completed = 0
    var total: Int?
    var isCancelled = false
  }

  private let state = Mutex(WorkState())
  private let tell: (@Sendable (WorkProgress) -> Void)?

  package init(_ tell: (@Sendable (WorkProgress) -> Void)?) { self.tell = tell }

  /// The number of finished pieces of work.
  public var completed: Int { state.withLock { $0.completed } }

  /// The number of all pieces of work, finished or not; nil until it is known.
  public var total: Int? { state.withLock { $0.total } }

  /// Whether the work was cancelled. Cancelled work ends at its next `check()` or `report(_:of:)`.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Reports the number of finished pieces of work, and the total number if it is known.
  ///
  /// - Throws: `CancellationError` if the work was cancelled.
  public func report(_ completed: Int, of total: Int? = nil) throws {
    state.withLock { state in
      state.completed = completed
      if let total { state.total = total }
    }
    tell?(self)
    try check()
  }

  /// Throws `CancellationError` if the work was cancelled.
  public func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Cancels the work, which ends at its next `check()` or `report(_:of:)`.
  public func cancel() { state.withLock { $0.isCancelled = true } }
}

extension WorkProgress: CancellableWork {}
