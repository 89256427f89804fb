import Dispatch
import Foundation
import LineageFiles
import ObjectGraph
import Synchronization

/// A lock that shows other processes that this process has the file open, and the search for such
/// locks of other processes.
///
/// The shared lock is on one byte after the bytes that SQLite locks, in a page that SQLite never
/// writes. The search can miss another process for two reasons. SQLite may have closed the file
/// there, which ends all locks of that process, or the process has only just opened the file. The
/// missed process finds commits without an entry in the log. It then reads more than necessary, but
/// misses no change.
final class Presence: Sendable {
  private let file: Int32
  private let onEnd: @Sendable () -> Void
  /// The time until which this process counts as alone, in nanoseconds of uptime.
  private let aloneUntil = Atomic<UInt64>(0)
  /// The time in nanoseconds during which ``isAlone`` stays true without asking the system again.
  /// It is one millisecond, so that only few of many saves in a row ask the system.
  ///
  /// A process that opens the file within this time has hardly read anything yet. It then reads
  /// more than necessary, but misses no change.
  private static let trusted: UInt64 = 1_000_000

  /// Opens the file and sets the lock. The closure is called when the lock has ended.
  init(path: String, _ onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
    file = SystemCalls.openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file >= 0 { SystemCalls.setLock(Self.lock(F_RDLCK), on: file) }
  }

  /// Closes the file, which ends the lock. Connections retain this object until they are closed,
  /// because closing the file earlier would end SQLite's locks.
  deinit {
    if file >= 0 { close(file) }
    onEnd()
  }

  /// Whether no other process has a presence lock on the file. The answer may be a millisecond old.
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

  private static func lock(_ type: Int32) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000 + 1024
    lock.l_len = 1
    return lock
  }
}
