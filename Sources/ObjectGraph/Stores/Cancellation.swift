import Synchronization

/// A flag that tells long work, such as an opening or a check, to end early.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Makes the work end at its next check, and interrupts the engine. Without the interruption, a
  /// long call of the engine, such as the check of a large file, would go on.
  package func cancel() {
    flag.store(true, ordering: .relaxed)
    interruption.withLock { $0?() }
  }

  /// Checks whether the work was cancelled.
  ///
  /// - Throws: `CancellationError` if the work was cancelled.
  package func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Sets the closure to call when the work is cancelled. It replaces the former closure; nil means
  /// none.
  ///
  /// The closure is called under a lock. So when this function returns, the former closure is not
  /// running and is never called again.
  package func interrupts(_ interrupt: (@Sendable () -> Void)?) {
    interruption.withLock { $0 = interrupt }
  }
}
