import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// Tells other processes that this one has the file open, and whether any other has.
///
/// A shared lock on one byte, behind those that SQLite locks and in the page that it never writes.
/// A process may be missed, because SQLite gives up all of its locks when it closes the file, or
/// because it has just come. It then looks at more than it must, because of a commit without an entry
/// in the log.
final class Presence: Sendable {
  private let file: Int32
  /// The time until which no other process is taken to be here, in nanoseconds of uptime.
  private let aloneUntil = Atomic<UInt64>(0)
  /// A millisecond, so that of saves that follow each other few ask.
  private static let trusted: UInt64 = 1_000_000

  /// Keeps the file open until all of SQLite's connections are closed: closing it any earlier would
  /// take their locks.
  init(path: String) {
    file = SystemCalls.openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file >= 0 { SystemCalls.setLock(Self.lock(F_RDLCK), on: file) }
  }

  /// Whether no other process has said that it is here; perhaps as of a millisecond ago.
  var isAlone: Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    if now < aloneUntil.load(ordering: .relaxed) { return true }
    let isAlone = ask()
    if isAlone { aloneUntil.store(now + Self.trusted, ordering: .relaxed) }
    return isAlone
  }

  private func ask() -> Bool {
    guard file >= 0, let other = SystemCalls.obstacle(to: Self.lock(F_WRLCK), on: file) else {
      return false
    }
    return other.l_type == Int16(F_UNLCK)
  }

  /// Closes the file; called after the last connection is closed.
  func end() {
    if file >= 0 { close(file) }
  }

  private static func lock(_ type: Int32) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000 + 1024
    lock.l_len = 1
    return lock
  }
}
