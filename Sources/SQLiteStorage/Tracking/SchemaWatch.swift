import ObjectGraph
import SQLStorage
import Synchronization

/// A check whether another process has given the file another schema since it was opened.
///
/// It runs before a save writes anything, if others have committed, and after a read has failed.
/// Without it, this process would write rows of an outdated schema, and might misread others. If
/// the schema has changed, the check throws `migrated`. Nothing has been written then, and the
/// program must open the file again.
final class SchemaWatch: Sendable {
  /// The two numbers of the file's header that a change of its schema changes: SQLite's count of
  /// changes to tables by any program, and the schema's version, which a store writes there, too.
  private struct Marks: Equatable {
    var cookie: StoredValue
    var version: StoredValue
  }

  private let model: Model
  private let version: Int
  private let seen: Mutex<Marks>

  /// Creates a check for a file whose schema is that of the metadata and the model.
  init(_ metadata: Metadata, _ model: Model) {
    self.model = model
    version = metadata.record.version
    seen = Mutex(
      Marks(
        cookie: .integer(Int64(metadata.cookie)), version: .integer(Int64(metadata.record.version)))
    )
  }

  /// Compares the file's schema with that of this process.
  ///
  /// - Throws: `migrated`, if the file's schema is no longer that of this process.
  func check(_ connection: Connection, _ attempted: String) throws {
    let row = try connection.rows(
      "SELECT schema_version, user_version FROM pragma_schema_version, pragma_user_version")[0]
    let marks = Marks(cookie: row[0], version: row[1])
    guard seen.withLock({ $0 != marks }) else { return }
    guard let metadata = try Metadata(connection) else { return }
    let record = metadata.record
    guard record.version == version,
      record.hashes.last == SchemaShape(model, in: SQLiteDialect.self).hash
    else { throw GraphError(attempted, .migrated(version: record.version)) }
    // Another program has added an index, a view or a table.
    seen.withLock { $0 = marks }
  }
}
