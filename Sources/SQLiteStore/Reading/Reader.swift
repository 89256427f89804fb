import ObjectGraph

/// The rows of a file as one context sees them.
final class Reader: StoreReader {
  let moment: Moment
  private let store: SQLiteStore
  private let arena = CellArena()
  /// Beside the tables, which cost a reference for each of their parts to look at.
  private let columnCounts: [Int]

  init(_ store: SQLiteStore) {
    self.store = store
    moment = Moment(store.pool)
    columnCounts = store.tables.map(\.columns.count)
  }

  func row(
    _ id: Int64, of entity: Int, into cells: UnsafeMutablePointer<Cell>
  ) throws -> Bool {
    do {
      arena.reset()
      return try moment.with { connection in
        let statement = try connection.rows[entity] ?? connection.prepareRow(store.tables[entity])
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return false }
        for column in 0..<columnCounts[entity] {
          statement.load(Int32(truncatingIfNeeded: column), into: cells + column, copying: arena)
        }
        return true
      }
    } catch let fault as Fault {
      throw store.error(fault, "read \(store.tables[entity].object(id))")
    }
  }

  func cursor(_ query: Query) throws -> any RowCursor {
    let table = store.tables[query.entity]
    do {
      let select = try Select(query, model: store.model, tables: store.tables)
      var cursor: Cursor?
      try moment.open { connection in
        let statement = try connection.take(select.sql)
        do {
          try select.bind(to: statement)
        } catch {
          connection.give(back: statement)
          throw error
        }
        cursor = Cursor(
          statement, select, of: connection, table: table, moment: moment, store: store)
      }
      guard let cursor else { throw GraphError("fetch \(table.name)", .closed) }
      return cursor
    } catch let fault as Fault {
      throw store.error(fault, "fetch \(table.name)")
    }
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> Stored {
    do {
      let select = try Select(aggregate, of: query, model: store.model, tables: store.tables)
      return try moment.with { connection in
        try connection.with(select.sql) { statement in
          try select.bind(to: statement)
          return try statement.step() ? statement.cell(0).stored : .null
        }
      }
    } catch let fault as Fault {
      throw store.error(fault, "aggregate \(store.tables[query.entity].name)")
    }
  }

  func end() { moment.end() }
}

extension Connection {
  /// The statement that reads one row, kept for good.
  func prepareRow(_ table: Table) throws -> Statement {
    let statement = try prepare(table.selectRow)
    rows[table.entity] = statement
    return statement
  }
}
