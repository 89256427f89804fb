import Foundation
import ObjectGraph
import SQLStorage

/// The creation of a new store's file, which appears whole or not at all.
struct Creation {
  let path: String
  let shape: SchemaShape
  let version: Int

  /// Makes the file. Returns false if another file has appeared at the path meanwhile.
  func run(_ cancellation: Cancellation) throws -> Bool {
    let file = NewFile(at: path)
    defer { file.clear() }
    let connection = try Connection(path: file.draft, mode: .create, waiting: 1, for: cancellation)
    do {
      // The new file is written to the disk once, when it is complete.
      try connection.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try connection.run("PRAGMA application_id = \(FormatSQL.applicationID)")
      try connection.run("BEGIN")
      for sql in FormatSQL.tables + TableSQL.all(shape) { try connection.run(sql) }
      let metadata = Metadata(
        id: UUID().uuidString.lowercased(), try SchemaRecord(shape, version: version),
        cookie: try connection.cookie())
      try metadata.write(to: connection)
      try connection.run("PRAGMA user_version = \(version)")
      try connection.run("COMMIT")
      try connection.run("PRAGMA journal_mode = WAL")
    } catch {
      connection.close()
      throw error
    }
    connection.close()
    try file.synchronize("create a store")
    try cancellation.check()
    return try file.publish("create a store")
  }
}
