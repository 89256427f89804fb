import ObjectGraph
import SQLStorage

/// A reader of a file's rows for one context.
final class Reader: StoreReader {
  let transaction: ReadTransaction
  private let file: OpenFile
  /// The store, retained only so that it stays open.
  private let store: AnyObject
  private let arena = CellArena()
  private var terms = ReadTerms()
  /// The number of columns of each table. It is kept here, because reading it from a table would
  /// count references.
  private let columnCounts: [Int]

  init(_ file: OpenFile, keeping store: AnyObject) {
    self.file = file
    self.store = store
    transaction = ReadTransaction(file.pool)
    columnCounts = file.tables.map(\.columns.count)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    do {
      arena.reset()
      return try transaction.with { connection in
        let statement = try connection.rows[entity] ?? connection.prepareRow(file.tables[entity])
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

  func cursor(_ query: Query) throws -> any RowCursor {
    let table = file.tables[query.entity]
    do {
      let select = try Select(query, of: file)
      var cursor: Cursor?
      try transaction.open { connection in
        let statement = try connection.take(select.sql)
        statement.beginRead(terms, limit: file.readLimit)
        do {
          let bound = try BoundSelect(select, to: statement, of: connection, file.tables)
          cursor = Cursor(
            statement, bound, of: connection, table: table, moment: transaction, file: file)
        } catch {
          connection.give(back: statement)
          throw error
        }
      }
      guard let cursor else { throw GraphError("fetch \(table.name)", .closed) }
      return cursor
    } catch let fault as SQLiteFault {
      throw file.error(fault, "fetch \(table.name)")
    }
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    // A figure may take several statements, which must see the same moment.
    transaction.hold()
    defer { transaction.letGo() }
    do {
      if let sum = try decimalSum(of: aggregate, query) { return try aggregate.figure(of: sum) }
      let figure = try ask(Select(aggregate, of: query, model: file.model, in: SQLiteDialect.self))[
        0]
      guard figure.isNull, let path = aggregate.path, aggregate.addsUp else { return figure }
      // SQLite gives null for the sum of infinities of both signs, which is not a number.
      let most = try ask(
        Select(.maximum(path), of: query, model: file.model, in: SQLiteDialect.self))[0]
      return most.isNull ? .null : .real(.nan)
    } catch let fault as SQLiteFault {
      if fault.isOverflow, case .sum(let path) = aggregate {
        return .integer(try exactSum(of: path, query))
      }
      throw file.error(fault, "aggregate \(file.tables[query.entity].name)")
    }
  }

  /// Returns the exact sum for a sum or an average of decimals; nil for any other figure.
  ///
  /// `DecimalSum` adds the decimals, as in all other stores, because SQLite has no decimals.
  /// Foundation's arithmetic was rejected. It rounds without an error, and its result depends on
  /// the order.
  private func decimalSum(of aggregate: Aggregate, _ query: Query) throws -> DecimalSum? {
    guard aggregate.addsUp, let path = aggregate.path else { return nil }
    let place = try file.model.number(path, from: query.entity)
    guard place.order == .decimals else { return nil }
    let table = file.tables[place.entity]
    var sum = DecimalSum()
    let select = try Select(numbersOf: path, of: query, model: file.model, in: SQLiteDialect.self)
    try step(select) { statement in
      let cell = statement.cell(1)
      guard cell.form != .null else { return true }
      guard let number = DecimalNumber(cell) else {
        let object = table.object(statement.integer(0))
        let message = "\(path.name) is \(cell.described), not a Decimal"
        throw GraphError("read \(object)", .unreadable(object: object, message))
      }
      sum.add(number)
      return true
    }
    return sum
  }

  /// Returns the exact sum of integers. It is called when SQLite's own sum has overflowed, because
  /// perhaps only a partial sum was too large.
  private func exactSum(of path: PropertyPath, _ query: Query) throws -> Int64 {
    do {
      let halves = try ask(Select(halvesOf: path, of: query, model: file.model))
      if case .integer(let high) = halves[0], case .integer(let low) = halves[1],
        let total = IntegerSum(high: high, low: low).total
      {
        return total
      }
      throw GraphError.tooMuch(path)
    } catch let fault as SQLiteFault {
      throw file.error(fault, "aggregate \(file.tables[query.entity].name)")
    }
  }

  /// Returns the only row of a query for figures, such as sums.
  private func ask(_ select: Select) throws -> [StoredValue] {
    var figures: [StoredValue] = []
    try step(select) { statement in
      figures = (0..<select.figures).map { statement.cell(Int32($0)).stored }
      return false
    }
    return figures
  }

  /// Calls a closure for each row of a statement, until the closure returns false.
  private func step(_ select: Select, _ body: (Statement) throws -> Bool) throws {
    try transaction.with { connection in
      try connection.with(select.sql) { statement in
        statement.beginRead(terms, limit: file.readLimit)
        let bound = try BoundSelect(select, to: statement, of: connection, file.tables)
        try withExtendedLifetime(bound) {
          do {
            while try statement.step(), try body(statement) {}
          } catch {
            throw bound.failure(or: error)
          }
        }
      }
    }
  }

  var moment: Int { transaction.number }

  func begin() throws {
    do {
      try transaction.begin()
    } catch let fault as SQLiteFault {
      throw file.error(fault, "read")
    }
  }

  func end() { transaction.end() }

  func setTerms(_ terms: ReadTerms) {
    switch (self.terms.keepsMoment, terms.keepsMoment) {
    case (false, true): transaction.hold()
    case (true, false): transaction.letGo()
    default: break
    }
    self.terms = terms
  }
}

extension Connection {
  /// Prepares the statement that reads one row of a table, and keeps it until the connection
  /// closes.
  func prepareRow(_ table: FileTable) throws -> Statement {
    let statement = try prepare(table.selectRow)
    rows[table.entity] = statement
    return statement
  }
}
