import Foundation
import ObjectGraph

/// A file that appears whole or not at all: it is made under another name beside its place.
struct NewFile {
  let path: String
  /// Where it is made.
  let draft: String

  init(at path: String) {
    self.path = path
    draft = path + "-new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
  }

  /// Takes away what is left of the making.
  func clear() { for end in ["", "-wal", "-shm", "-journal"] { unlink(draft + end) } }

  /// Waits until the disk has all of it.
  func synchronize(_ attempted: String) throws {
    let file = open(draft, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure(attempted) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw Self.failure(attempted) }
  }

  /// Puts it in its place; false if somebody else's file is there.
  func publish(_ attempted: String) throws -> Bool {
    // A link is refused where there is a file already, so that of two makers one wins.
    if link(draft, path) == 0 { return true }
    if errno == EEXIST { return false }
    // Some file systems have no links.
    guard errno == EPERM || errno == ENOTSUP else { throw Self.failure(attempted) }
    guard access(path, F_OK) != 0 else { return false }
    guard rename(draft, path) == 0 else { throw Self.failure(attempted) }
    return true
  }

  private static func failure(_ attempted: String) -> GraphError {
    GraphError(attempted, errno == ENOSPC ? .full : .inputOutput(FileCheck.reason))
  }
}
