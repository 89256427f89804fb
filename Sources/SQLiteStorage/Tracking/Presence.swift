import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// A sign for other processes that this one has the file open, and the search for their signs.
///
/// The sign is a shared lock on one byte. The byte is behind those that SQLite locks, in the page
/// that SQLite never writes. A process can be missed, because SQLite gives up all of a process's
/// locks when it closes the file, or because the process has only just come. That process then
/// meets commits without an entry in the log, and reads more than it must, but it misses no change.
final class Presence: Sendable {
  private let file: Int32
  /// The time until which this process counts as alone, in nanoseconds of uptime.
  private let aloneUntil = Atomic<UInt64>(0)
  /// The time for which an answer is trusted, in nanoseconds: one millisecond, so that few of the
  /// saves that follow each other ask the system.
  ///
  /// A process that opens the file within that time has hardly read anything yet. It is told more
  /// than it must know, never less.
  private static let trusted: UInt64 = 1_000_000

  /// Opens the file and sets the lock. The file stays open until all of SQLite's connections are
  /// closed, because closing it earlier would end their locks.
  init(path: String) {
    file = SystemCalls.openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file >= 0 { SystemCalls.setLock(Self.lock(F_RDLCK), on: file) }
  }

  /// Whether no other process has its sign on the file. The answer may be a millisecond old.
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

  /// Closes the file. It must be called after the last connection is closed.
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
