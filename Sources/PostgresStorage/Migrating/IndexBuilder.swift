#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// The building of indexes while others read and write, and the check of references that were added.
///
/// A build that was interrupted leaves an index that is not valid. It is dropped and built again, unless
/// somebody is building it.
struct IndexBuilder {
  let schema: StoreSchema
  let gate: ServerGate
  /// Whether the program may change tables. If it may not, it only waits for other builders.
  let mayBuild: Bool
  let progress: @Sendable (OpeningProgress) -> Void

  /// Builds all indexes that are missing, and checks all references that were never checked. Returns
  /// whether there was something to do.
  func finish(_ catalog: ServerCatalog) throws -> Bool {
    var isFinished = true
    for table in schema.shape.tables {
      for index in table.allIndexes {
        let columns = (index.properties + (index.isUnique ? [] : ["id"])).joined(separator: ".")
        let isBuilt = catalog.indexes.contains { found in
          found.table == table.name && found.columns == columns && found.isValid
            && found.isUnique == index.isUnique && !found.isPartial
        }
        if isBuilt { continue }
        isFinished = false
        try build(index, of: table)
      }
    }
    for reference in catalog.references where !reference.isValid && mayBuild {
      guard let table = schema.shape.table(reference.table) else { continue }
      isFinished = false
      // If a row refers to nothing, the check of the tables tells it.
      try ignoring(["23503", "42P01", "42704"]) {
        try gate.run(
          "ALTER TABLE \(schema.name(table)) VALIDATE CONSTRAINT \(quoted(reference.name))")
      }
    }
    return !isFinished
  }

  /// Builds an index, or waits until another program has built it. An index that is not unique only makes
  /// reading faster, so nobody waits for another program to build it.
  func build(_ index: IndexShape, of table: TableShape) throws {
    let deadline = Deadline(in: gate.options.statementTimeout)
    for attempt in 1... {
      try gate.cancellation.check()
      guard let found = try look(for: index, of: table), !found.isValid else { return }
      if let builder = found.builder {
        guard index.isUnique else { return }
        guard !deadline.hasPassed else {
          throw gate.refusal([builder], "builds the index of \(table.name).\(index.name)")
        }
        Thread.sleep(forTimeInterval: 0.1)
        continue
      }
      // The name may belong to something else. The check of the tables tells what is missing.
      guard mayBuild, attempt < 1_000 else { return }
      if found.isThere {
        try drop(index, of: table)
      } else {
        progress(
          OpeningProgress(step: "index \(table.name).\(index.name)", number: 1, count: 1))
        guard try create(index, of: table) else { return }
      }
    }
  }

  private struct Found {
    let isThere, isValid: Bool
    /// The server's process that builds an index of the table, and its program; nil if there is none.
    let builder: (process: String, program: String)?
  }

  /// Looks for an index. Returns nil if there is no table.
  private func look(for index: IndexShape, of table: TableShape) throws -> Found? {
    let names = [schema.schema, table.name, indexName(index, of: table.name)]
    // Without the right to see what other roles do, a builder's table is null.
    let sql = """
      SELECT i.indisvalid IS NOT NULL, coalesce(i.indisvalid, false), b.pid, b.application_name
      FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
      LEFT JOIN (pg_index i JOIN pg_class x ON x.oid = i.indexrelid)
        ON i.indrelid = t.oid AND x.relname = $3
      LEFT JOIN LATERAL (SELECT p.pid, a.application_name FROM pg_stat_progress_create_index p
        LEFT JOIN pg_stat_activity a ON a.pid = p.pid WHERE p.datname = current_database()
        AND p.pid <> pg_backend_pid() AND coalesce(p.relid, t.oid) = t.oid LIMIT 1) b ON true
      WHERE n.nspname = $1 AND t.relname = $2
      """
    let rows = try gate.run([ServerStatement(sql, names.map { .text($0) })])[0].texts
    guard let row = rows.first else { return nil }
    return Found(
      isThere: row[0] == "1", isValid: row[1] == "1",
      builder: row[2].isEmpty ? nil : (row[2], row[3]))
  }

  /// Creates an index. Returns false if the table or a column is missing, or if the name belongs to
  /// something else; the check of the tables tells it.
  private func create(_ index: IndexShape, of table: TableShape) throws -> Bool {
    // A build waits for all older transactions of the database. It is no transaction, so its limit is set
    // for the connection, which only this opening uses, unless a pooler lends it to others.
    let isOwn = !gate.connection.isPooled
    let limit = Int(min(gate.options.statementTimeout, 1e6) * 1_000)
    if isOwn { try gate.run("SET lock_timeout = \(limit)") }
    defer { if isOwn { _ = try? gate.run("RESET lock_timeout") } }
    do {
      try gate.run(schema.index(index, of: table, "CONCURRENTLY"))
      return true
    } catch let fault as ServerFault where !fault.isLost {
      if ["42P01", "42703"].contains(fault.state) { return false }
      if fault.state == "55P03" {
        // The next opening builds it again.
        guard index.isUnique else { return false }
        throw try refusal()
      }
      let isTaken =
        fault.state == "42P07"
        || (fault.isUniqueness && fault.constraint == "pg_class_relname_nsp_index")
      if isTaken {
        // Another program has begun to build it.
        return try look(for: index, of: table).map { $0.isThere || $0.builder != nil } ?? false
      }
      if try look(for: index, of: table)?.isValid == false { try drop(index, of: table) }
      if fault.isUniqueness { throw Refusal(.changed([index.change(of: table.name)])) }
      guard fault.isTurnedAway else { throw fault }
      return true
    }
  }

  /// Returns the refusal that names the oldest transactions.
  private func refusal() throws -> Refusal {
    let sql = """
      SELECT pid, application_name FROM pg_stat_activity WHERE datname = current_database()
        AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 3
      """
    let rows = try gate.run(sql).texts
    return gate.refusal(rows.map { ($0[0], $0[1]) }, "keeps an old transaction")
  }

  /// Drops an index that is not valid, unless somebody has built it meanwhile.
  private func drop(_ index: IndexShape, of table: TableShape) throws {
    try gate.close {
      // A builder has a lock that excludes this one.
      try gate.run("LOCK TABLE \(schema.name(table)) IN ACCESS EXCLUSIVE MODE")
      guard let found = try look(for: index, of: table), found.isThere, !found.isValid else {
        return
      }
      let name = quoted(indexName(index, of: table.name))
      try gate.run("DROP INDEX \(quoted(schema.schema)).\(name)")
    }
  }

  private func ignoring(_ states: [String], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let fault as ServerFault where states.contains(fault.state) {}
  }
}
#endif
