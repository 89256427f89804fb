import Foundation
import ObjectGraph

/// Makes a new file, whole or not at all: it is built under another name beside its place.
struct Creation {
  let path: String
  let shape: SchemaShape
  let version: Int

  /// False if somebody else was faster.
  func run(_ cancellation: Cancellation) throws -> Bool {
    let draft = path + "-new-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    defer { for end in ["", "-wal", "-shm", "-journal"] { unlink(draft + end) } }
    let connection = try Connection(path: draft, mode: .create, waiting: 1)
    do {
      // Nothing of the draft is worth a wait for the disk before it is whole.
      try connection.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try connection.run("PRAGMA application_id = \(FormatSQL.applicationID)")
      try connection.run("BEGIN")
      for sql in FormatSQL.tables + TableSQL.all(shape) { try connection.run(sql) }
      var metadata = Metadata(
        id: UUID().uuidString.lowercased(), version: version, schema: try shape.text,
        hashes: [shape.hash], cookie: 0)
      guard case .integer(let cookie) = try connection.value("PRAGMA schema_version") else {
        throw Fault(code: 1, message: "there is no schema version")
      }
      metadata.cookie = Int(cookie)
      try metadata.write(to: connection)
      try connection.run("PRAGMA user_version = \(version)")
      try connection.run("COMMIT")
      try connection.run("PRAGMA journal_mode = WAL")
    } catch {
      connection.close()
      throw error
    }
    connection.close()
    try synchronise(draft)
    try cancellation.check()
    // A link is refused where there is a file already, so that of two creators one wins.
    if link(draft, path) == 0 { return true }
    if errno == EEXIST { return false }
    // Some file systems have no links.
    guard errno == EPERM || errno == ENOTSUP else { throw Self.failure }
    guard access(path, F_OK) != 0 else { return false }
    guard rename(draft, path) == 0 else { throw Self.failure }
    return true
  }

  private func synchronise(_ draft: String) throws {
    let file = open(draft, O_RDONLY | O_CLOEXEC)
    guard file >= 0, fsync(file) == 0 else { throw Self.failure }
    close(file)
  }

  private static var failure: GraphError {
    GraphError("create a store", errno == ENOSPC ? .full : .inputOutput(FileCheck.reason))
  }
}
