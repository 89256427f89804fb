/// The rows that a program's statement returns, in one moment (read transaction) of a reader.
///
/// The statement runs when the first row is requested. The caller must close the rows.
package protocol StatementRows: AnyObject {
  /// The names of the columns; at least one.
  var columns: [String] { get }
  /// The indices of the entities whose tables the statement may read, also through subqueries and
  /// other parts of it; nil if the store cannot tell.
  var entities: [Int]? { get }
  /// Advances to the next row. Returns false after the last row.
  func next() throws -> Bool
  /// Loads all columns of the current row. The cells are valid until `next()` is called again.
  func load(into cells: CellRow)
  /// Releases the resources of the statement.
  func close()
}
