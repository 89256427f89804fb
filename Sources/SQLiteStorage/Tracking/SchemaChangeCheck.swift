import ObjectGraph
import SQLStorage
import Synchronization

/// A check whether another process has changed the file's schema since this process opened the
/// file.
///
/// The check runs when a read has failed, and at the beginning of a save if others have committed.
/// Without it, this process would write rows of the old schema, and might misread rows of the new
/// one. If the schema has changed, the check throws `migrated`, and the save writes nothing. The
/// program must then open the file again.
final class SchemaChangeCheck: Sendable {
  private let model: Model
  private let version: Int
  /// Two numbers in the file's header that change with the schema: SQLite's count of schema changes
  /// by any program, and the schema's version, which a store writes there.
  private let seen: Mutex<[StoredValue]>

  /// Creates a check for a file. The metadata and the model must both be those of its schema.
  init(_ metadata: Metadata, _ model: Model) {
    self.model = model
    version = metadata.record.version
    seen = Mutex([.integer(Int64(metadata.cookie)), .integer(Int64(version))])
  }

  /// Compares the file's schema with that of this process.
  ///
  /// - Throws: `migrated`, if the file's schema is no longer that of this process.
  func check(_ connection: Connection, _ attempted: String) throws {
    let marks = try connection.rows(
      "SELECT schema_version, user_version FROM pragma_schema_version, pragma_user_version")[0]
    guard seen.withLock({ $0 != marks }) else { return }
    guard let record = try Metadata(connection)?.record else { return }
    guard record.version == version,
      record.hashes.last == SchemaShape(model, in: SQLiteDialect.self).hash
    else { throw GraphError(attempted, .migrated(version: record.version)) }
    // Another program has added an index, a view or a table.
    seen.withLock { $0 = marks }
  }
}
