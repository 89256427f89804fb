import Synchronization

/// Whether the caller of long work still wants it.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Ends the work at its next check, and interrupts what the engine does at the moment; some of that
  /// checks nothing, such as the check of a large file.
  package func cancel() {
    flag.store(true, ordering: .relaxed)
    interruption.withLock { $0?() }
  }

  /// Throws `CancellationError` if the work is no longer wanted.
  package func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Has a closure called when the work is cancelled, in place of the one before; nil for none.
  ///
  /// The closure is called under a lock: once this function has returned, the former one is not under
  /// way and never will be.
  package func interrupts(_ interrupt: (@Sendable () -> Void)?) {
    interruption.withLock { $0 = interrupt }
  }
}
