package import Foundation

/// A lock on an empty file, which only one process at a time can have.
///
/// The system releases the lock when the process ends, even if it is killed. So a file never stays
/// locked without a process.
package final class FileLock: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Locks a file, and makes the file if it is missing. Returns nil if another process, or another
  /// `FileLock` of this process, has locked the file.
  package init?(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) throws(FileError) {
    let path = url.path(percentEncoded: false)
    let calls = FileCalls(probe: probe)
    let (descriptor, status) = try AppendableFile.open(path, O_RDWR | O_CREAT, mode: 0o600, calls)
    if calls.result(of: .lock, { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }) < 0 {
      let number = errno
      close(descriptor)
      if number == EWOULDBLOCK { return nil }
      throw calls.error(.lock, path, number)
    }
    self.descriptor = descriptor
    self.path = path
    // Another user who can open the file could lock it.
    if status.st_mode & 0o777 != 0o600 { _ = fchmod(descriptor, 0o600) }
    // The file may have been removed before it was locked. Then another process could lock a new
    // file with the same name.
    guard isNamed else { throw calls.error(.lock, path, ENOENT) }
  }

  deinit {
    // Closing the file is not enough. While this process starts another program, the new process
    // also has the descriptor for a short time.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Whether the locked file still has its name. If it is false, another process may have locked a
  /// new file with this name.
  package var isNamed: Bool {
    guard let mine = SystemCalls.fileStatus(of: descriptor),
      let named = SystemCalls.linkStatus(at: path)
    else { return false }
    return named.isSame(as: mine)
  }
}
