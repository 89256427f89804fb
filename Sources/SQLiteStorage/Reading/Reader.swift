import ObjectGraph
import SQLStorage

/// A reader of a file's rows for one context.
final class Reader: StoreReader {
  let transaction: ReadTransaction
  private let file: OpenFile
  /// The closure that posts the news of a moment. It retains the store, which so stays open.
  private let postNews: () throws -> Void
  /// The number of the last moment whose news was posted.
  private var heard = 0
  private let arena = CellArena()
  private(set) var terms = ReadTerms()
  /// The number of columns of each table. It is kept here, because reading it from a table would
  /// count references.
  private let columnCounts: [Int]

  init(_ file: OpenFile, _ postNews: @escaping () throws -> Void) {
    self.file = file
    self.postNews = postNews
    transaction = ReadTransaction(file.pool)
    columnCounts = file.tables.map(\.columns.count)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    do {
      arena.reset()
      return try transaction.with { connection in
        let statement = try connection.row(of: entity, file.tables[entity].selectRow)
        try statement.bind(id, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return false }
        for column in 0..<columnCounts[entity] {
          cells[column] = statement.cell(Int32(truncatingIfNeeded: column), copying: arena)
        }
        return true
      }
    } catch let fault as SQLiteFault {
      throw file.error(fault, "read \(file.tables[entity].object(id))")
    }
  }

  func cursor(_ query: Query) throws -> any RowCursor { try rows(of: query) }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    try figure(aggregate, over: query)
  }

  func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    try counts(over: query, by: column)
  }

  func canPage(_ query: Query) throws -> Bool { try isWhole(query) }

  func readRows(of statement: [StatementPiece]) throws -> any StatementRows {
    let select = Select(statement, tables: file.names)
    let attempted = "run \(select.sql)"
    do {
      let cursor = try open(select, attempted) {
        try $0.takeRead(select.sql, parameters: select.parameters.count)
      }
      guard let facts = cursor.facts else {
        throw StatementRefusal(message: "it was prepared as the store's own")
      }
      return StatementCursor(cursor, facts, of: file)
    } catch let refusal as StatementRefusal {
      throw GraphError(attempted, .statement(refusal.message))
    }
  }

  var moment: Int { transaction.number }

  func begin() throws {
    do {
      try transaction.begin()
    } catch let fault as SQLiteFault {
      throw file.error(fault, "read")
    }
    let moment = transaction.number
    if moment == heard, moment > 0 { return }
    try postNews()
    heard = moment
  }

  func end() { transaction.end() }

  func setTerms(_ terms: ReadTerms) {
    switch (self.terms.keepsMoment, terms.keepsMoment) {
    case (false, true): transaction.hold()
    case (true, false): transaction.letGo()
    default: break
    }
    if terms.isOnce { transaction.readOnce() }
    self.terms = terms
  }
}

extension Reader: SQLReader {
  var tables: SQLTables { file.names }
  var readLimit: Int? { file.readLimit }

  func hold() { transaction.openCursor() }

  func letGo() { transaction.closeCursor() }

  func rows(_ select: Select, of entity: Int) throws -> any SelectedRows {
    try open(select, "fetch \(file.tables[entity].name)") { try $0.take(select.sql) }
  }

  /// Opens a cursor on the statement that the closure takes from the connection.
  private func open(
    _ select: Select, _ attempted: String, _ take: (Connection) throws -> Statement
  ) throws -> Cursor {
    do {
      return try transaction.open { connection in
        let statement = try take(connection)
        statement.beginRead(terms, limit: file.readLimit)
        do { try statement.bind(select) } catch {
          connection.give(back: statement)
          throw error
        }
        return Cursor(statement, select, of: connection, attempted, moment: transaction, file: file)
      }
    } catch let fault as SQLiteFault {
      throw file.error(fault, attempted)
    }
  }
}
