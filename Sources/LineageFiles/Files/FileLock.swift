package import Foundation

/// An empty file that only one process at a time can lock.
///
/// The system releases the lock whenever the process ends. So a lock is never left behind.
package final class FileLock: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Locks a file, which is made if it is missing. Nil if another process, or another lock of this
  /// process, has locked the file.
  package init?(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) throws(FileError) {
    let path = url.path(percentEncoded: false)
    let calls = FileCalls(probe: probe)
    let (descriptor, _) = try AppendableFile.open(path, O_RDWR | O_CREAT, mode: 0o600, calls)
    if calls.result(of: .lock, { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }) < 0 {
      let number = errno
      close(descriptor)
      if number == EWOULDBLOCK { return nil }
      throw calls.error(.lock, path, number)
    }
    self.descriptor = descriptor
    self.path = path
    // The file may have been removed before it was locked. In that case, another process may lock a
    // new file with the name.
    guard isNamed else { throw calls.error(.lock, path, ENOENT) }
  }

  deinit {
    // Closing the file is not enough. A program that this process starts also has the descriptor
    // until it is loaded.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Whether the locked file still has its name. If not, another process may have locked a new file
  /// with that name.
  package var isNamed: Bool {
    guard let mine = SystemCalls.fileStatus(of: descriptor),
      let named = SystemCalls.linkStatus(at: path)
    else { return false }
    return named.isSame(as: mine)
  }
}
