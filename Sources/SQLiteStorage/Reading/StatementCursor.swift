import ObjectGraph

/// The rows of a program's statement.
final class StatementCursor: StatementRows {
  let columns: [String]
  let entities: [Int]?
  private let cursor: Cursor
  private let count: Int

  init(_ cursor: Cursor, _ facts: StatementFacts, of file: OpenFile) {
    self.cursor = cursor
    columns = facts.columns
    count = columns.count
    entities = facts.tables.compactMap { file.entities[$0] }.sorted()
  }

  func next() throws -> Bool { try cursor.next() != nil }

  func load(into cells: CellRow) {
    var column = 0
    while column < count {
      cells[column] = cursor.cell(column)
      column += 1
    }
  }

  func close() { cursor.close() }
}
