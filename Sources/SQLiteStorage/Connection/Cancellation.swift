import CLineageSQLite
import Synchronization

/// Whether the caller of long work still wants it.
final class Cancellation: Sendable {
  /// A connection that may be interrupted from any thread for as long as it is open; it is taken away
  /// under the lock before it closes.
  private struct Interrupted: @unchecked Sendable {
    let handle: OpaquePointer
  }

  private let flag = Atomic(false)
  private let connection = Mutex<Interrupted?>(nil)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Ends the work at its next check, and what its connection does at the moment; some of that asks
  /// nobody, such as the check of a large file.
  func cancel() {
    flag.store(true, ordering: .relaxed)
    connection.withLock { connection in
      if let connection { sqlite3_interrupt(connection.handle) }
    }
  }

  func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// The connection that works from now on; nil when it no longer does.
  func interrupts(_ handle: OpaquePointer?) {
    let connection = handle.map(Interrupted.init)
    self.connection.withLock { $0 = connection }
  }
}
