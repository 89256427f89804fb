import Foundation
import ObjectGraph

/// A file that appears whole or not at all: it is made under another name beside its place.
///
/// Beside the draft lies a file that its maker keeps locked. The system gives the lock up when the
/// maker is killed, so that the next maker in the folder knows which drafts nobody finishes. A file
/// of its own, because SQLite locks the draft by means that some systems do not tell from this one.
struct NewFile {
  let path: String
  /// Where it is made.
  let draft: String
  private let lock: Int32

  init(at path: String) {
    self.path = path
    Self.clearAbandoned(beside: path)
    var draft: String
    var lock: Int32?
    repeat {
      draft = path + "-new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      lock = Self.makeLock(draft + Self.lockEnd)
    } while lock == nil
    self.draft = draft
    self.lock = lock ?? -1
  }

  /// Takes away what is left of the making; it is called once.
  func clear() {
    Self.clear(draft)
    if lock >= 0 { close(lock) }
  }

  private static func clear(_ draft: String) {
    // The lock comes last: a draft without one would stay for ever.
    for end in ["", "-wal", "-shm", "-journal", lockEnd] { SystemCalls.unlinkFile(draft + end) }
  }

  /// Waits until the disk has all of it.
  func synchronize(_ attempted: String) throws {
    let file = SystemCalls.openFile(draft, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure(attempted) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw Self.failure(attempted) }
  }

  /// Puts it in its place; false if somebody else's file is there.
  func publish(_ attempted: String) throws -> Bool {
    // A link is refused where there is a file already, so that of two makers one wins.
    if SystemCalls.linkFile(draft, as: path) { return true }
    if errno == EEXIST { return false }
    // Some file systems have no links.
    guard errno == EPERM || errno == ENOTSUP else { throw Self.failure(attempted) }
    guard !SystemCalls.permits(F_OK, at: path) else { return false }
    guard SystemCalls.renameFile(draft, to: path) else { throw Self.failure(attempted) }
    return true
  }

  private static func failure(_ attempted: String) -> GraphError {
    let code = errno
    return GraphError(
      attempted,
      Fault.isFull(code) ? .full : .inputOutput(SystemCalls.message(of: code)))
  }

  // MARK: Locks

  private static let lockEnd = "-lock"

  /// Returns a locked file, nil if another maker took it for abandoned before it was locked; -1 where none
  /// can be made, and then no draft either.
  private static func makeLock(_ path: String) -> Int32? {
    let file = SystemCalls.openFile(
      path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode: 0o600)
    guard file >= 0 else { return errno == EEXIST ? nil : -1 }
    let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
    // Where the system has no locks, nobody else gets this one either.
    if isLocked ? isStill(file, at: path) : errno != EWOULDBLOCK { return file }
    close(file)
    return nil
  }

  /// Removes the drafts in a folder whose makers are gone, whatever they were to become.
  private static func clearAbandoned(beside path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where isLock(name) {
      let path = folder + "/" + name
      let file = SystemCalls.openFile(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { continue }
      defer { close(file) }
      guard flock(file, LOCK_EX | LOCK_NB) == 0, isStill(file, at: path) else { continue }
      clear(String(path.dropLast(lockEnd.count)))
    }
  }

  /// Returns whether a name is that of a draft's lock: `store-new-123-456-lock`.
  private static func isLock(_ name: String) -> Bool {
    let words = name.split(separator: "-", omittingEmptySubsequences: false).suffix(4)
    guard words.count == 4, name.hasSuffix(lockEnd), words.first == "new" else { return false }
    return words.dropFirst().prefix(2).allSatisfy { UInt32($0) != nil }
  }

  /// Returns whether an empty file is still the one at its path.
  private static func isStill(_ file: Int32, at path: String) -> Bool {
    guard let here = SystemCalls.fileStatus(of: file),
      let there = SystemCalls.linkStatus(at: path)
    else { return false }
    return here.st_mode & S_IFMT == S_IFREG && here.st_size == 0
      && here.st_dev == there.st_dev && here.st_ino == there.st_ino
  }
}
