import Synchronization

/// A flag that makes long work end early, such as opening or checking a store.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Cancels the work, which ends at its next call of `check()`. Also calls the closure of
  /// `setInterrupter(_:)`, which interrupts a long call of the store's engine, such as the check of
  /// a large file.
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

  /// Sets the closure that `cancel()` calls. It replaces the former closure. If it is nil,
  /// `cancel()` calls no closure.
  ///
  /// The closure is called under a lock. So when this function returns, the former closure is not
  /// running and is never called again.
  package func setInterrupter(_ interrupt: (@Sendable () -> Void)?) {
    interruption.withLock { $0 = interrupt }
  }
}
