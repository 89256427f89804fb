package import ObjectGraph

/// The part of a store's reader that runs SQL.
///
/// The dialect may have no words for a part of a condition, an order or a figure. The reader then
/// tests the candidates, which are the rows that the SQL lets through, orders them, or computes the
/// figure, with the functions of `ObjectGraph` that a store in memory uses. So all stores give equal
/// answers.
package protocol SQLReader: AnyObject {
  var tables: SQLTables { get }
  var terms: ReadTerms { get }
  /// The greatest number of candidates of one read; nil for no limit.
  var readLimit: Int? { get }

  /// Runs a statement that reads rows of an entity, in the present moment (read transaction).
  func rows(_ select: Select, of entity: Int) throws -> any SelectedRows

  /// Keeps the moment, also after its `end`, until ``letGo()`` is called as often as this function. An
  /// open cursor keeps its moment in the same way.
  func hold()
  func letGo()
}

/// The rows that a statement returns. The first column of each row is an integer, which is the row's
/// id if the row is an entity's.
package protocol SelectedRows: RowCursor {
  /// Returns a cell of the present row. It is valid until ``next()`` is called again.
  func cell(_ column: Int) -> ColumnCell
}

extension SQLReader {
  package var model: Model { tables.model }

  /// Returns a cursor over the rows of a query.
  package func rows(of query: Query) throws -> any RowCursor {
    let columns = Array(model.layouts[query.entity].columns.indices)
    let select = try Select(query, columns: columns, tables: tables)
    guard select.testsLess || !select.isOrdered else { return try rows(select, of: query.entity) }
    return try CandidateCursor.open(query, isOrdered: select.isOrdered, self)
  }

  /// Returns whether SQL alone finds and orders the rows of a query.
  package func isWhole(_ query: Query) throws -> Bool {
    let select = try Select(query, columns: [], tables: tables)
    return !select.testsLess && select.isOrdered
  }

  /// Returns a figure over the rows of a query.
  package func figure(_ aggregate: Aggregate, over query: Query) throws -> StoredValue {
    // A figure may take several statements, which must see the same moment.
    hold()
    defer { letGo() }
    var query = query
    (query.order, query.limit, query.offset) = ([], nil, 0)
    var running = try RunningFigure(aggregate, of: query.entity, model: model)
    if !running.addsDecimals,
      let select = try Select(aggregate, of: query, tables: tables),
      let figure = try engineFigure(select, query), !figure.isNull || !aggregate.addsUp
    {
      return figure
    }
    if let place = running.place,
      let select = try Select(valuesOf: place, over: query, tables: tables)
    {
      let rows = try rows(select, of: query.entity)
      defer { rows.close() }
      while let id = try rows.next() { try running.add(rows.cell(1), of: id) }
      return try running.figure
    }
    let candidates = try Candidates(query, reading: running.place, self)
    defer { candidates.close() }
    while let row = try candidates.next() { try running.add(row) }
    return try running.figure
  }

  /// Returns how many rows of a query have each value of a column.
  package func counts(over query: Query, by column: Int) throws -> [StoredValue: Int] {
    var query = query
    (query.order, query.limit, query.offset) = ([], nil, 0)
    var counts: [StoredValue: Int] = [:]
    if let select = try Select(countsOf: query, by: column, tables: tables) {
      let rows = try rows(select, of: query.entity)
      defer { rows.close() }
      while let count = try rows.next() { counts[rows.cell(1).stored, default: 0] += Int(count) }
      return counts
    }
    let layout = model.layouts[query.entity]
    let place = try model.place(PropertyPath(name: layout.columns[column].name), from: query.entity)
    let candidates = try Candidates(query, reading: place, self)
    defer { candidates.close() }
    while let row = try candidates.next() {
      counts[row.stored(column: column), default: 0] += 1
    }
    return counts
  }

  /// Returns a figure as the engine computes it; nil if the engine cannot add up the values.
  private func engineFigure(_ select: Select, _ query: Query) throws -> StoredValue? {
    do {
      let rows = try rows(select, of: query.entity)
      defer { rows.close() }
      return try rows.next() == nil ? .null : rows.cell(0).stored
    } catch let error as GraphError {
      if case .figure = error.reason { return nil }
      throw error
    }
  }
}
