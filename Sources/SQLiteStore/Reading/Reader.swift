import ObjectGraph
import Synchronization

/// The rows of a file as one context sees them.
///
/// A moment is a read transaction on a connection from the store's pool. While no cursor is open,
/// the store may end it, because it holds back the log; the next call then begins another.
final class Reader: StoreReader, @unchecked Sendable {
  // The connection is only used under `moment`'s lock, or by cursors, which `moment` counts: nobody
  // ends a moment that has any. The arena is the confined caller's.

  private struct Moment {
    var connection: Connection?
    var cursors = 0
    /// The moment ends with its last cursor.
    var isEnding = false
  }

  let pool: Pool
  private let store: SQLiteStore
  private let moment = Mutex(Moment())
  private let arena = CellArena()
  /// Beside the tables, which cost a reference for each of their parts to look at.
  private let columnCounts: [Int]

  init(_ store: SQLiteStore) {
    self.store = store
    pool = store.pool
    columnCounts = store.tables.map(\.columns.count)
  }

  deinit { end() }

  func row(
    _ id: Int64, of entity: Int, into cells: UnsafeMutablePointer<Cell>
  ) throws -> Bool {
    do {
      arena.reset()
      return try moment.withLock { moment in
        let connection = try connection(&moment)
        let statement =
          try connection.rows[entity] ?? connection.prepareRow(store.tables[entity])
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return false }
        for column in 0..<columnCounts[entity] {
          statement.load(Int32(truncatingIfNeeded: column), into: cells + column, copying: arena)
        }
        return true
      }
    } catch let fault as Fault {
      throw fault.error("read \(store.tables[entity].object(id))", waited: store.options.timeout)
    }
  }

  func cursor(_ query: Query) throws -> any RowCursor {
    let table = store.tables[query.entity]
    do {
      let select = try Select(query, model: store.model, tables: store.tables)
      var cursor: Cursor?
      try moment.withLock { moment in
        let connection = try connection(&moment)
        let statement = try connection.take(select.sql)
        do {
          try select.bind(to: statement)
        } catch {
          connection.give(back: statement)
          throw error
        }
        moment.cursors += 1
        cursor = Cursor(statement, select, of: connection, table: table, reader: self)
      }
      guard let cursor else { throw GraphError("fetch \(table.name)", .closed) }
      return cursor
    } catch let fault as Fault {
      throw fault.error("fetch \(table.name)", waited: store.options.timeout)
    }
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> Stored {
    do {
      let select = try Select(aggregate, of: query, model: store.model, tables: store.tables)
      return try moment.withLock { moment in
        try connection(&moment).with(select.sql) { statement in
          try select.bind(to: statement)
          return try statement.step() ? statement.cell(0).stored : .null
        }
      }
    } catch let fault as Fault {
      throw fault.error(
        "aggregate \(store.tables[query.entity].name)", waited: store.options.timeout)
    }
  }

  func end() {
    moment.withLock { moment in
      if moment.cursors > 0 { moment.isEnding = true } else { finish(&moment) }
    }
  }

  /// A cursor is done with its statement.
  func giveBack(_ statement: Statement, to connection: Connection) {
    moment.withLock { moment in
      connection.give(back: statement)
      moment.cursors -= 1
      if moment.cursors == 0, moment.isEnding || pool.isClosed { finish(&moment) }
    }
  }

  /// Called by the store on any thread: the log has grown too long, or the store closes.
  func endIfIdle() {
    moment.withLock { moment in
      if moment.cursors == 0 { finish(&moment) }
    }
  }

  /// Whether it holds back the log.
  var isInMoment: Bool { moment.withLock { $0.connection != nil } }

  private func connection(_ moment: inout Moment) throws -> Connection {
    if let connection = moment.connection, !pool.isClosed { return connection }
    let connection = try pool.take()
    do {
      try connection.begin()
    } catch {
      pool.give(back: connection)
      throw error
    }
    moment.connection = connection
    return connection
  }

  private func finish(_ moment: inout Moment) {
    moment.isEnding = false
    guard let connection = moment.connection else { return }
    moment.connection = nil
    do {
      try connection.commit()
    } catch {
      connection.rollBack()
    }
    pool.give(back: connection)
  }
}

extension Connection {
  /// The statement that reads one row, kept for good.
  func prepareRow(_ table: Table) throws -> Statement {
    let statement = try prepare(table.selectRow)
    rows[table.entity] = statement
    return statement
  }
}
