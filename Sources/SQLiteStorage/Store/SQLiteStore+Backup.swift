public import Foundation
import LineageFiles
import ObjectGraph

extension SQLiteStore {
  /// Copies the store, as it is at one moment, to a file that must not exist yet.
  ///
  /// Other contexts and processes may read and write meanwhile. The file appears whole or not at
  /// all; if the task is cancelled, it does not appear. The copy has the same id as the store. So
  /// an object's URI is valid in both.
  ///
  /// - Complexity: O(size of the file).
  public func backup(to url: URL) async throws {
    guard url.namesFile else {
      throw GraphError("back up to \(url.withoutCredentials.absoluteString)", .notAFile)
    }
    let path = url.path
    let attempted = "back up to \(path)"
    try await runLongWork(attempted) { store, cancellation in
      let isTaken = GraphError(attempted, .inputOutput("there is a file already"))
      for end in ["", "-wal", "-journal"] where SystemCalls.permits(F_OK, at: path + end) {
        throw isTaken
      }
      let file = NewFile(at: path)
      defer { file.clear() }
      try store.copy(to: file.draft, cancellation)
      try file.synchronize(attempted)
      guard try file.publish(attempted) else { throw isTaken }
    }
  }

  private func copy(to draft: String, _ cancellation: Cancellation) throws {
    let target = try Connection(path: draft, mode: .create, waiting: 1)
    defer { target.close() }
    try target.run("PRAGMA synchronous = OFF")
    try withOwnConnection { source in
      // The copy happens in one read transaction. Without it, each commit would make the copy start
      // again.
      try source.begin()
      defer { source.rollBack() }
      _ = try source.value("SELECT count(*) FROM sqlite_schema")
      try source.handle.copy(into: target.handle, pages: 256) { try cancellation.check() }
    }
  }
}
