#if Postgres
import ObjectGraph
import SQLStorage
import Synchronization

/// A position in the rows that one statement returns.
///
/// The rows come page by page, through a cursor of the server. A page has at most 1,024 rows, and about
/// 4 MB: the number of its rows follows from the size of those before. The first page of a table of which
/// nothing was read yet has four rows.
final class ServerRows: SelectedRows {
  private let server: Server
  private let moment: ServerMoment
  private let attempted: String
  private let cancellation: ReadCancellation
  private let limit: Int?
  /// The table of the rows; nil if they are of a statement that a program has written.
  private let table: ServerTable?
  /// The server's cursor; nil if the first page has all rows.
  private let cursor: ServerCursor?
  private var page: ServerResult
  private var row = -1
  /// The number of rows that the present page was to have.
  private var wanted: Int
  /// Whether the next page was asked for ahead. The second page never is, because a reader may stop
  /// early.
  private var goesAhead = false
  private var count = 0
  private var isOpen = true

  init(
    _ statement: ServerStatement, _ attempted: String, _ server: Server, _ moment: ServerMoment,
    _ cancellation: ReadCancellation, of table: ServerTable?, limit: Int?, isOnePage: Bool = false
  ) throws {
    self.server = server
    self.moment = moment
    self.attempted = attempted
    self.cancellation = cancellation
    self.limit = limit
    self.table = table
    if isOnePage {
      // The server keeps such a statement prepared, and need not plan it again. The moment must not end
      // before the rows are read, as with a cursor.
      (cursor, wanted) = (nil, .max)
      moment.openCursor()
      do {
        page = try server.reading(attempted) { try moment.run([statement], cancellation)[0] }
      } catch {
        moment.closeCursor()
        throw error
      }
      return
    }
    // The first rows of an unknown table tell how large its rows are.
    let first = table?.pageRows ?? 4
    wanted = first
    (cursor, page) = try server.reading(attempted) {
      try moment.open(statement, cancellation, page: first)
    }
  }

  deinit { close() }

  func next() throws -> Int64? {
    guard isOpen else { return nil }
    do {
      if server.pool.isClosed { throw GraphError(attempted, .closed) }
      row += 1
      if row == page.rowCount, page.rowCount == wanted { try turnPage() }
      if row < page.rowCount {
        page.forgetCells()
        count += 1
        if let limit, count > limit { throw GraphError(attempted, .tooLong(steps: limit)) }
        return page.columnCount > 0 ? page.cell(row, 0).integer : 0
      }
    } catch {
      close()
      throw error
    }
    close()
    return nil
  }

  private func turnPage() throws {
    guard let cursor else { return }
    if cancellation.isCancelled { throw GraphError(attempted, .cancelled) }
    table?.noteSize(page)
    let fitting = ServerTable.pageRows(ofSize: max(1, page.size / max(1, page.rowCount)))
    // A page that was asked for ahead has as many rows as the page before it.
    if !goesAhead { wanted = fitting }
    goesAhead = fitting >= wanted
    page = try server.reading(attempted) {
      try moment.page(of: cursor, wanted, goesAhead: goesAhead, cancellation)
    }
    row = 0
  }

  var rowsAtHand: Int { page.rowCount }

  var columns: [String] { page.columns }

  /// The name of the first column of which no cell can be made; nil if there is none.
  var unreadableColumn: String? { page.unreadableColumn.map { page.columns[$0] } }

  func cell(_ column: Int) -> ColumnCell { page.cell(row, column) }

  func load(into cells: CellRow) { page.load(row, into: cells) }

  func close() {
    guard isOpen else { return }
    isOpen = false
    table?.noteSize(page)
    if let cursor { moment.close(cursor) } else { moment.closeCursor() }
  }
}
#endif
