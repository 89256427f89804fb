import ObjectGraph
import SQLStorage

/// A position in the rows that one statement returns.
final class Cursor: SelectedRows {
  private let statement: Statement
  private let count: Int32
  /// The query, which retains the objects that are bound to the statement.
  private let select: Select
  private let connection: Connection
  /// The read, for errors.
  private let attempted: String
  private let moment: ReadTransaction
  private let file: OpenFile
  private var isOpen = true

  init(
    _ statement: Statement, _ select: Select, of connection: Connection, _ attempted: String,
    moment: ReadTransaction, file: OpenFile
  ) {
    self.statement = statement
    self.select = select
    self.connection = connection
    self.attempted = attempted
    self.moment = moment
    self.file = file
    // The first column is the id.
    count = Int32(statement.columnCount - 1)
  }

  deinit { close() }

  func next() throws -> Int64? {
    guard isOpen else { return nil }
    do {
      if moment.pool.isClosed { throw GraphError(attempted, .closed) }
      if try statement.step() { return statement.integer(0) }
    } catch {
      close()
      throw (error as? SQLiteFault).map { file.error($0, attempted) } ?? error
    }
    close()
    return nil
  }

  /// The facts of a program's statement; nil for a statement of the store's own.
  var facts: StatementFacts? { statement.facts }

  func cell(_ column: Int) -> ColumnCell { statement.cell(Int32(column)) }

  func load(into cells: CellRow) {
    var index: Int32 = 0
    while index < count {
      cells[Int(index)] = statement.cell(index + 1)
      index += 1
    }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    moment.giveBack(statement, to: connection)
  }
}
