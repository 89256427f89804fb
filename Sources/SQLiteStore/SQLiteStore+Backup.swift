public import Foundation
import ObjectGraph

extension SQLiteStore {
  /// Copies the store, as of one moment, to a file that must not exist yet.
  ///
  /// Others may read and write meanwhile. The file appears whole or not at all; cancelling leaves
  /// none. It has the same id as the store, so that URIs lead to the same objects in it.
  public func backup(to url: URL) async throws {
    let path = url.path
    try await elsewhere("back up to \(path)") { store, cancellation in
      guard ["", "-wal", "-journal"].allSatisfy({ access(path + $0, F_OK) != 0 }) else {
        throw GraphError("back up to \(path)", .inputOutput("there is a file already"))
      }
      let draft = path + "-new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      defer { for end in ["", "-wal", "-shm", "-journal"] { unlink(draft + end) } }
      try store.copy(to: draft, cancellation)
      let file = Foundation.open(draft, O_RDONLY | O_CLOEXEC)
      guard file >= 0, fsync(file) == 0 else {
        throw GraphError("back up to \(path)", .inputOutput(FileCheck.reason))
      }
      Foundation.close(file)
      guard link(draft, path) == 0 || rename(draft, path) == 0 else {
        throw GraphError("back up to \(path)", .inputOutput(FileCheck.reason))
      }
    }
  }

  private func copy(to draft: String, _ cancellation: Cancellation) throws {
    let target = try Connection(path: draft, mode: .create, waiting: 1)
    defer { target.close() }
    try target.run("PRAGMA synchronous = OFF")
    try withOwnConnection { source in
      // One moment for all of it: otherwise each commit would make it begin anew.
      try source.begin()
      defer { source.rollBack() }
      _ = try source.value("SELECT count(*) FROM sqlite_schema")
      try source.copy(into: target, pages: 256) { _ in try cancellation.check() }
    }
  }
}
