/// A statement that a store runs, with the errors for its rows.
struct RunningStatement {
  private let rows: any StatementRows
  /// The names of the columns.
  let columns: [String]
  let attempted: StatementAttempt

  init(_ rows: any StatementRows, _ attempted: StatementAttempt) {
    self.rows = rows
    columns = rows.columns
    self.attempted = attempted
  }

  /// Calls a closure with the cells of each row, which are valid until the closure returns.
  @inline(__always)
  func forEachRow(_ body: (CellRow) throws -> Void) throws {
    let cells = CellRow(count: columns.count)
    var number = 0
    while try attempted.naming({ try rows.next() }) {
      number += 1
      rows.load(into: cells)
      do { try body(cells) } catch let fault as ColumnFault {
        throw attempted.error(.unreadable(object: "row \(number)", fault.message))
      } catch let fault as RowFault {
        throw attempted.error(.statement(fault.message))
      }
    }
  }

  /// Returns the layout that the closure makes for the types of the columns.
  ///
  /// - Throws: An error if there is another number of columns, or if a type cannot be read.
  func checked(_ layout: () throws -> TupleLayout) throws -> TupleLayout {
    do {
      let layout = try layout()
      guard columns.count != layout.count else { return layout }
      let names = columns.joined(separator: ", ")
      throw attempted.error(
        .statement("it has \(columns.count.of("column")) (\(names)), not \(layout.count)"))
    } catch let fault as ColumnFault {
      throw attempted.error(.statement("a column \(fault.message)"))
    }
  }
}

/// The attempt to run a statement, for errors.
struct StatementAttempt: CustomStringConvertible {
  let description: String

  init(_ query: SQL) { description = "run \(query.description.quoted)" }

  func error(_ reason: GraphError.Reason) -> GraphError { GraphError(description, reason) }

  /// Runs a closure of a store. Its errors then name the statement as the program has written it.
  @inline(__always)
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as GraphError { throw self.error(error.reason) }
  }
}
