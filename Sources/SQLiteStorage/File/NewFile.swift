import Foundation
import LineageFiles
import ObjectGraph
import Synchronization

/// A file that appears whole or not at all, because it is made under another name in the same
/// folder.
///
/// The unfinished file has a lock file, which the process that makes the file keeps locked. The
/// system releases the lock when this process is killed. The next process that makes a file in the
/// folder can then remove the abandoned file. A process number in the file's name would not show
/// whether the process still runs. Another process may have that number by now, perhaps in another
/// container. The lock has a file of its own, because some systems do not distinguish this lock
/// from the locks that SQLite sets.
struct NewFile {
  let path: String
  /// The path of the unfinished file.
  let draft: String
  private let lock: FileLock?

  init(at path: String) {
    self.path = path
    Self.clearAbandoned(beside: path)
    var (draft, lock): (String, FileLock?) = ("", nil)
    // Another process that looks for abandoned files may find the lock file before it is locked. If
    // the folder allows no lock, SQLite's error says why it allows no file.
    for _ in 0..<100 where lock == nil {
      draft = path + "-new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      lock = try? FileLock(URL(filePath: draft + Self.lockEnd))
      if lock == nil { SystemCalls.unlinkFile(draft + Self.lockEnd) }
    }
    (self.draft, self.lock) = (draft, lock)
  }

  /// Removes the unfinished file, the files that SQLite keeps beside it, and the lock file.
  func clear() { withExtendedLifetime(lock) { Self.clear(draft) } }

  private static func clear(_ draft: String) {
    // The lock comes last, because an unfinished file without a lock would stay for ever.
    for end in ["", "-wal", "-shm", "-journal", lockEnd] { SystemCalls.unlinkFile(draft + end) }
  }

  /// Waits until the whole new file is on the disk.
  func synchronize(_ attempted: String) throws {
    let file = SystemCalls.openFile(draft, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure(attempted) }
    defer { close(file) }
    guard SystemCalls.syncFile(file) == 0 else { throw Self.failure(attempted) }
  }

  /// Gives the new file its final name. Returns false if another file has this name already.
  func publish(_ attempted: String) throws -> Bool {
    // A hard link fails if there is a file already, so only one of two processes that make it
    // succeeds.
    if SystemCalls.linkFile(draft, as: path) { return true }
    if errno == EEXIST { return false }
    // Some file systems have no hard links.
    guard errno == EPERM || errno == ENOTSUP else { throw Self.failure(attempted) }
    return try Self.renaming.withLock { _ in
      guard !SystemCalls.permits(F_OK, at: path) else { return false }
      guard SystemCalls.renameFile(draft, to: path) else { throw Self.failure(attempted) }
      return true
    }
  }

  private static let renaming = Mutex(())

  private static func failure(_ attempted: String) -> GraphError {
    let code = errno
    return GraphError(
      attempted,
      SQLiteFault.isFull(code) ? .full : .inputOutput(SystemCalls.message(of: code)))
  }

  // MARK: Locks

  private static let lockEnd = "-lock"

  /// Removes the unfinished files of killed processes from the folder of a path.
  private static func clearAbandoned(beside path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where isLock(name) {
      let path = folder + "/" + name
      guard let status = SystemCalls.fileStatus(at: path, followsLinks: false),
        status.st_mode & S_IFMT == S_IFREG, status.st_size == 0,
        let lock = try? FileLock(URL(filePath: path), creates: false)
      else { continue }
      withExtendedLifetime(lock) { clear(String(path.dropLast(lockEnd.count))) }
    }
  }

  /// Returns whether a name has the form of a lock file's name, such as `store-new-123-456-lock`.
  private static func isLock(_ name: String) -> Bool {
    let words = name.split(separator: "-", omittingEmptySubsequences: false).suffix(4)
    guard words.count == 4, name.hasSuffix(lockEnd), words.first == "new" else { return false }
    return words.dropFirst().prefix(2).allSatisfy { UInt32($0) != nil }
  }
}
