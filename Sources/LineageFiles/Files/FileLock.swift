package import Foundation

/// A lock on an empty file, which only one process at a time can have.
///
/// The system releases the lock when the process ends, even if it is killed. So a file never stays
/// locked without a process.
package final class FileLock: Sendable {
  private let file: OpenFile

  /// Locks a file. Makes the file if it is missing and `creates` is true. Returns nil if another
  /// process, or another `FileLock` of this process, has locked the file.
  package init?(
    _ url: URL, creates: Bool = true, probe: @escaping FileStep.Probe = { _ in 0 }
  ) throws(FileError) {
    let path = url.path(percentEncoded: false)
    let calls = FileCalls(probe: probe)
    let flags = O_RDWR | O_NOFOLLOW | (creates ? O_CREAT : 0)
    let file = try OpenFile(path, flags, mode: 0o600, calls)
    if calls.result(of: .lock, { Int(flock(file.descriptor, LOCK_EX | LOCK_NB)) }) < 0 {
      if errno == EWOULDBLOCK { return nil }
      throw calls.error(.lock, path, errno)
    }
    // Another user who can open the file could lock it.
    if file.status.st_mode & 0o777 != 0o600 { _ = fchmod(file.descriptor, 0o600) }
    // The file may have been removed before it was locked. Then another process could lock a new
    // file with the same name.
    guard file.hasName else { throw calls.error(.lock, path, ENOENT) }
    self.file = file
  }

  deinit {
    // Closing the file is not enough. While this process starts another program, the new process
    // also has the descriptor for a short time.
    flock(file.descriptor, LOCK_UN)
  }

  /// Whether the locked file still has its name. If it is false, another process may have locked a
  /// new file with this name.
  package var isNamed: Bool { file.hasName }
}
