import ObjectGraph
import SQLStorage
import Synchronization

/// Notices that another process has given the file another schema than the one it was opened with.
///
/// This process would then write by a schema of yesterday, and may read by one; so it says that the
/// file must be opened again.
final class SchemaWatch: Sendable {
  /// The numbers that SQLite keeps: changes of tables by anybody, and the version that a store writes
  /// there too.
  private struct Marks: Equatable {
    var cookie: StoredValue
    var version: StoredValue
  }

  private let model: Model
  private let version: Int
  private let seen: Mutex<Marks>

  /// For a file whose schema is that of the metadata and the model.
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
    // An index, a view or a table of somebody else's.
    seen.withLock { $0 = marks }
  }
}
