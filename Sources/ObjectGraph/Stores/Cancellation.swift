import Synchronization

/// A flag that tells long work, such as an opening or a check, to end early.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Ends the work at its next check, and interrupts the engine. The interruption is needed because
  /// some calls of the engine check nothing for a long time, such as the check of a large file.
  package func cancel() {
    flag.store(true, ordering: .relaxed)
    interruption.withLock { $0?() }
  }

  /// Checks whether the work was cancelled.
  ///
  /// - Throws: `CancellationError` if it was.
  package func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Sets the closure to call when the work is cancelled, in place of the one before; nil for none.
  ///
  /// The closure is called under a lock. So once this function has returned, the former closure is
  /// not running and never will be called.
  package func interrupts(_ interrupt: (@Sendable () -> Void)?) {
    interruption.withLock { $0 = interrupt }
  }
}
