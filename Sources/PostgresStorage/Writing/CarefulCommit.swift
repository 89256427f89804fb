#if Postgres
import ObjectGraph
import SQLStorage

/// The second way of a commit that the server has refused. It locks all rows, compares them as Swift
/// values, and finds the error to throw, if there is one. Then it writes.
final class CarefulCommit {
  private struct Row: Hashable {
    let entity: Int
    let id: Int64
  }

  private let commit: ServerCommit
  private let server: Server
  private let connection: ServerConnection
  /// The rows as they are in the database. Nobody else can change them until the transaction ends.
  private var rows: [Row: [StoredValue]] = [:]
  /// The new values of rows that were deleted for now, because other rows get their unique values.
  private var takenOut: [Row: [StoredValue]] = [:]

  init(_ commit: ServerCommit) {
    self.commit = commit
    (server, connection) = (commit.server, commit.connection)
  }

  func run(_ writes: [Write], _ resolving: ConflictResolver?) throws {
    for attempt in 1... {
      do {
        defer { commit.rollBack() }
        return try attemptOnce(writes, resolving)
      } catch let fault as ServerFault where fault.isUniqueness || fault.isForeignKey {
        // Somebody has inserted a row with the same value, or has deleted a row, meanwhile.
        guard attempt < 5 else {
          throw GraphError("save", .store(code: fault.state, fault.message))
        }
      }
    }
  }

  private func attemptOnce(_ writes: [Write], _ resolving: ConflictResolver?) throws {
    _ = try send(commit.beginning)
    (rows, takenOut) = ([:], [:])
    let written = try CommitConflict.retrying(
      writes, by: resolving, { [self] entity, id in try row(entity, id) }
    ) { attempted in
      try lock(attempted)
      let conflicts = attempted.compactMap(conflict)
      guard conflicts.isEmpty else { throw CommitConflict(rows: conflicts) }
      return attempted
    }
    if let error = try takenID(written) ?? brokenRule(written) { throw error }
    try park(written)
    let rest = written.filter { takenOut[Row(entity: $0.entity, id: $0.id)] == nil }
    _ = try send(try WriteBatch(rest, server).statements(isChecked: false))
    try putBack()
    if let error = try dangling(written) { throw error }
    try commit.finish(with: [], written)
  }

  private func send(_ statements: [ServerStatement]) throws -> [ServerResult] {
    try connection.run(statements, until: commit.deadline)
  }

  // MARK: Rows

  private func lock(_ writes: [Write]) throws {
    let wanted = WriteBatch(writes, server).ids().flatMap { table, ids in
      let new = ids.filter { rows[Row(entity: table.entity, id: $0)] == nil }
      return WriteBatch.lists(of: new).map { (table, ServerStatement(table.lockRows, $0)) }
    }
    for ((table, _), result) in zip(wanted, try send(wanted.map(\.1))) {
      for row in 0..<result.rowCount {
        result.forgetCells()
        let values = table.columns.indices.map { result.cell(row, $0 + 1).stored }
        rows[Row(entity: table.entity, id: result.cell(row, 0).integer)] = values
      }
    }
  }

  private func row(_ entity: Int, _ id: Int64) throws -> [StoredValue]? {
    if let known = rows[Row(entity: entity, id: id)] { return known }
    let table = server.entities[entity]
    let result = try send([ServerStatement(table.selectRow, [.integer(id)])])[0]
    return result.rowCount == 0
      ? nil : table.columns.indices.map { result.cell(0, $0 + 1).stored }
  }

  /// Returns the row of a write that is in conflict; nil if it is not.
  private func conflict(_ write: Write) -> ConflictingRow? {
    let found = rows[Row(entity: write.entity, id: write.id)]
    let table = server.entities[write.entity]
    let columns: [Int]
    switch write.kind {
    case .insert: return nil
    case .delete where !write.isChecked: return nil
    case .delete: columns = Array(table.columns.indices)
    case .update(let mask):
      columns = write.isChecked ? table.columns.indices.filter(mask.contains) : []
    }
    if let found {
      let holds = write.source.withBase { base in
        columns.allSatisfy {
          !table.contestable.contains($0)
            || table.columns[$0].holds(found[$0], base, structSize: table.structSize)
        }
      }
      if holds { return nil }
    }
    return ConflictingRow(entity: write.entity, id: write.id, theirs: found)
  }

  // MARK: Rules

  private func takenID(_ writes: [Write]) throws -> GraphError? {
    var deleted: Set<Row> = []
    for write in writes {
      if case .delete = write.kind { deleted.insert(Row(entity: write.entity, id: write.id)) }
    }
    for write in writes {
      guard case .insert = write.kind else { continue }
      let row = Row(entity: write.entity, id: write.id)
      guard rows[row] != nil, !deleted.contains(row) else { continue }
      let object = server.entities[write.entity].object(write.id)
      return GraphError("save \(object)", .idTaken(object))
    }
    return nil
  }

  private func brokenRule(_ writes: [Write]) throws -> GraphError? {
    let check = try UniqueCheck(writes, server.tables.model, row: row)
    return try check.error { entity, rule, key in
      let table = server.entities[entity]
      let terms = zip(rule.columns, key).enumerated().map { place, term in
        let kind = table.columns[term.0].kept
        let value = PostgresDialect.placeholder(place + 1, for: .value(term.1), as: kind)
        return "\(quoted(table.columns[term.0].name)) = \(value)"
      }
      let sql = "SELECT id FROM \(table.sql) WHERE \(terms.joined(separator: " AND "))"
      let result = try send([ServerStatement(sql, key)])[0]
      return (0..<result.rowCount).map { result.cell($0, 0).integer }
    }
  }

  /// Sets unique columns of rows that are updated to temporary values, so that the rows can exchange
  /// their values.
  private func park(_ writes: [Write]) throws {
    for write in writes {
      guard case .update(let mask) = write.kind else { continue }
      let table = server.entities[write.entity]
      let unique = table.uniqueColumns.filter(mask.contains)
      guard !unique.isEmpty else { continue }
      // A Bool has no third value that could stand for it meanwhile.
      if unique.contains(where: { table.types[$0] == .boolean && !table.columns[$0].isOptional }) {
        try takeOut(write, table)
        continue
      }
      _ = try Parking.park(
        write, unique, checking: [], of: table.sql, table.columns, in: PostgresDialect.self
      ) { sql, values in
        try send([ServerStatement(sql, values)])[0].changes
      }
    }
  }

  /// Deletes a row that is updated, and notes the values with which it is inserted again.
  private func takeOut(_ write: Write, _ table: ServerTable) throws {
    guard case .update(let mask) = write.kind,
      var values = rows[Row(entity: write.entity, id: write.id)]
    else { return }
    try write.source.withValue { value in
      for column in table.columns.indices where mask.contains(column) {
        values[column] = try table.columns[column].stored(of: value)
      }
    }
    _ = try send([ServerStatement("DELETE FROM \(table.sql) WHERE id = $1", [.integer(write.id)])])
    takenOut[Row(entity: write.entity, id: write.id)] = values
  }

  /// Inserts the rows that were taken out.
  private func putBack() throws {
    let arena = CellArena()
    for (row, values) in takenOut {
      let table = server.entities[row.entity]
      var parameters = ServerParameters()
      for (place, value) in ([.integer(row.id)] + values).enumerated() {
        var array = ServerArray(place == 0 ? .bigint : table.sentTypes[place - 1])
        array.add(value.cell(in: arena))
        parameters.add(array)
      }
      _ = try send([ServerStatement(table.insert, parameters)])
    }
  }

  /// Returns the error for a reference to a missing row; nil if there is none.
  private func dangling(_ writes: [Write]) throws -> GraphError? {
    for write in writes {
      let table = server.entities[write.entity]
      if case .delete = write.kind {
        if let error = try referrer(to: write, table) { return error }
        continue
      }
      for column in table.columns {
        guard let target = column.target?.layout.name,
          let other = server.entities.first(where: { $0.name == target })
        else { continue }
        let name = quoted(column.name)
        let sql =
          "SELECT \(name) FROM \(table.sql) AS r WHERE id = $1 AND \(name) IS NOT NULL"
          + " AND NOT EXISTS (SELECT 1 FROM \(other.sql) AS t WHERE t.id = r.\(name))"
        if let id = try id(sql, write.id) {
          return dangling(table.object(write.id), column.name, other.object(id))
        }
      }
    }
    return nil
  }

  private func referrer(to write: Write, _ table: ServerTable) throws -> GraphError? {
    // The row may have been inserted again.
    guard try id("SELECT id FROM \(table.sql) WHERE id = $1", write.id) == nil else { return nil }
    for other in server.entities {
      for column in other.columns where column.target?.layout.name == table.name {
        let sql = "SELECT id FROM \(other.sql) WHERE \(quoted(column.name)) = $1 LIMIT 1"
        if let id = try id(sql, write.id) {
          return dangling(other.object(id), column.name, table.object(write.id))
        }
      }
    }
    return nil
  }

  private func id(_ sql: String, _ parameter: Int64) throws -> Int64? {
    let result = try send([ServerStatement(sql, [.integer(parameter)])])[0]
    return result.rowCount > 0 ? result.cell(0, 0).integer : nil
  }

  private func dangling(_ object: String, _ property: String, _ target: String) -> GraphError {
    GraphError("save \(object)", .dangling(object: object, property: property, target: target))
  }
}
#endif
