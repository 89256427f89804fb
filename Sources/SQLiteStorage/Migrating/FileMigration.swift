import ObjectGraph
import SQLStorage

/// The migration of a file to the program's schema.
struct FileMigration {
  let migrator: Migrator
  let limits: FileLimits
  let connection: Connection

  private var cancellation: Cancellation { migrator.cancellation }

  /// Gives the file the program's schema, and returns the steps that were run. Returns nil if the
  /// file has this schema already.
  /// `cookie` is SQLite's count of schema changes at the moment when the metadata was read.
  func bringUpToDate(
    _ metadata: inout Metadata, _ cookie: Int, isReadOnly: Bool
  ) throws -> Migrated? {
    let wanted = SchemaShape(migrator.model, in: SQLiteDialect.self)
    let hash = wanted.hash
    if migrator.isUpToDate(metadata.record, hash) {
      if cookie != metadata.cookie { try checkTables(wanted) }
      return nil
    }
    try migrator.refuseChanges(metadata.record, wanted, hash, isReadOnly: isReadOnly)
    return try migrate(&metadata, to: wanted, hash)
  }

  /// Throws a refusal if another program has removed a table or column, or changed a column's type.
  private func checkTables(_ wanted: SchemaShape) throws {
    let found = try SchemaShape(connection, like: wanted)
    for table in wanted.tables {
      guard let existing = found.table(table.name) else {
        throw Refusal(.damaged("the table \(table.name) is missing"))
      }
      for column in table.columns where existing.column(column.name)?.storage != column.storage {
        throw Refusal(
          .damaged(
            "\(table.name).\(column.name) is missing or has another type"))
      }
    }
  }

  // MARK: Writing

  private func migrate(
    _ metadata: inout Metadata, to wanted: SchemaShape, _ hash: String
  ) throws -> Migrated {
    try connection.run("PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL")
    try connection.limitPages(limits.maximumPages)
    // Migration steps may use views, and triggers of the entities' tables may, too.
    connection.handle.setReadsViews(true)
    defer { connection.handle.setReadsViews(false) }
    do {
      return try connection.cancellable(cancellation) {
        try connection.run("BEGIN IMMEDIATE")
        // Another process may have migrated the file meanwhile.
        guard let now = try Metadata(connection) else {
          throw Refusal(.damaged("lineage_store is incomplete"))
        }
        metadata = now
        try migrator.refuseNewer(metadata.record, hash)
        let from = metadata.record.version
        var steps: [String] = []
        if !migrator.isUpToDate(metadata.record, hash) {
          let session = FileSession(
            connection: connection, model: migrator.model, cancellation: cancellation)
          steps = try migrator.bring(&metadata.record, to: wanted, hash, in: session)
          try record(&metadata, migratedFrom: from)
        }
        try cancellation.check()
        try connection.run("COMMIT")
        return Migrated(from: from, to: migrator.version, steps: steps)
      }
    } catch {
      connection.rollBack()
      if cancellation.isCancelled { throw CancellationError() }
      throw error
    }
  }

  /// Writes the metadata of the migrated file. If steps were run, also checks that no row refers to
  /// a missing row.
  private func record(_ metadata: inout Metadata, migratedFrom old: Int) throws {
    metadata.cookie = try connection.cookie()
    try metadata.write(to: connection)
    try connection.run("PRAGMA user_version = \(migrator.version)")
    if migrator.hasSteps(from: old) { try checkReferences() }
    // An entry without ids makes other processes read everything again.
    try connection.run("INSERT INTO lineage_log (writer, changes) VALUES (0, NULL)", [])
    metadata.generation = connection.handle.lastInsertedID
  }

  private func checkReferences() throws {
    guard let row = try connection.rows("PRAGMA foreign_key_check").first else { return }
    guard let table = row[0].text, let id = row[1].integer, let target = row[2].text else {
      throw Refusal(.damaged("a reference leads nowhere"))
    }
    throw Refusal(
      .stepFailed(
        version: migrator.version, "\(table)/\(id) refers to a \(target) that is gone"))
  }
}
