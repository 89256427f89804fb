import ObjectGraph
import SQLStorage

/// The statements that create the store's own tables.
///
/// The table `lineage_store` has one row for each of these keys:
///
/// - `format`: the version of the store's own tables
/// - `id`: the store's id
/// - `schema`: the schema as JSON
/// - `hashes`: the hashes of all schemas that the file has had
/// - `version`: the schema's version
/// - `cookie`: SQLite's count of changes to tables and indexes
///
/// The table `lineage_log` has the ids that the last commits changed.
enum FormatSQL {
  /// The application id in each file's header: "Lnge".
  static let applicationID: Int32 = 0x4c6e_6765
  /// The version of the store's own tables.
  static let version = 1

  static let tables = [
    "CREATE TABLE lineage_store (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE lineage_log (
      generation INTEGER PRIMARY KEY,
      writer INTEGER NOT NULL,
      changes BLOB
    ) STRICT
    """,
  ]
}

/// The metadata in a file's table `lineage_store`.
struct Metadata {
  var id: String
  var format: Int
  var record: SchemaRecord
  /// SQLite's count of changes to tables and indexes, as it was when the file was made or last
  /// migrated.
  var cookie: Int
  /// The number of the last entry in `lineage_log`.
  var generation: Int64 = 0

  /// Reads the metadata; nil if a part is missing.
  init?(_ connection: Connection) throws {
    // The limit is for a strange file. A store writes six rows.
    let rows = try connection.rows(
      "SELECT key, value, (SELECT coalesce(max(generation), 0) FROM lineage_log)"
        + " FROM lineage_store LIMIT 100")
    func text(_ key: String) -> String? { rows.first { $0[0] == .text(key) }?[1].text }
    guard let id = text("id"), let format = text("format").flatMap({ Int($0) }),
      let version = text("version").flatMap({ Int($0) }), let schema = text("schema"),
      let hashes = text("hashes")?.utf8.split(separator: UInt8(ascii: " ")),
      let cookie = text("cookie").flatMap({ Int($0) })
    else { return nil }
    self.id = id
    self.format = format
    record = SchemaRecord(
      version: version, schema: schema, hashes: hashes.map { String(Substring($0)) })
    self.cookie = cookie
    generation = rows.last?[2].integer ?? 0
  }

  init(id: String, _ record: SchemaRecord, cookie: Int) {
    self.id = id
    format = FormatSQL.version
    self.record = record
    self.cookie = cookie
  }

  func write(to connection: Connection) throws {
    let values = [
      "id": id, "format": "\(format)", "version": "\(record.version)", "schema": record.schema,
      "hashes": record.hashes.joined(separator: " "), "cookie": "\(cookie)",
    ]
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      try connection.run(
        "INSERT INTO lineage_store VALUES (?1, ?2)"
          + " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [.text(key), .text(value)])
    }
  }
}
