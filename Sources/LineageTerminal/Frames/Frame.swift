/// The look of a text in a frame. The raw value is the number that terminals have for it. Bad news are
/// red if there are colours.
package enum Style: Int, Sendable {
  case plain = 0, bold = 1, dim = 2, underline = 4, reverse = 7, bad = 31
}

/// All that a terminal shows, as a value: rows of cells, and perhaps a cursor.
///
/// A frame keeps the texts that were written. Most rows of a program's next frame have the same texts,
/// so their cells need not be known.
package struct Frame: Equatable, Sendable {
  /// One cell. The right half of a wide character is a cell of width zero.
  package struct Cell: Equatable, Sendable {
    package var character: Character = " ", style = Style.plain, width = 1
  }

  /// A text in a row, of which some columns are shown.
  private struct Piece: Equatable, Sendable {
    let text: String, columns: Range<Int>, style: Style

    /// The column after the text.
    var end: Int {
      let isPlain = text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
      return isPlain ? min(columns.lowerBound + text.utf8.count, columns.upperBound) : draw()
    }

    /// Calls a closure with the cells and their columns. Returns the column after them.
    @discardableResult func draw(_ show: (Cell, Int) -> Void = { _, _ in }) -> Int {
      var column = columns.lowerBound
      for character in text.lazy.map(\.printable) {
        let cell = Cell(character: character, style: style, width: character.width)
        guard column + cell.width <= columns.upperBound else { break }
        show(cell, column)
        column += cell.width
      }
      return column
    }
  }

  package let width: Int, height: Int
  private var rows: [[Piece]]
  /// The number of the cell with the cursor; nil if it is hidden.
  package private(set) var cursor: Int?

  /// Creates a blank frame, of at least one cell and at most 1,000 rows and columns.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (max(1, min(width, 1000)), max(1, min(height, 1000)))
    rows = Array(repeating: [], count: self.height)
  }

  /// Writes a text into a row, at most to the given width and to the end of the row. Returns the
  /// column after it. Outside of the frame, nothing is written.
  @discardableResult
  package mutating func write(
    _ text: some StringProtocol, row: Int, column: Int, width limit: Int = .max,
    style: Style = .plain
  ) -> Int {
    guard (0..<height).contains(row), (0..<width).contains(column) else { return column }
    let columns = column..<column + max(0, min(limit, width - column))
    let piece = Piece(text: String(text), columns: columns, style: style)
    rows[row].append(piece)
    return piece.end
  }

  /// Returns the cells of a row.
  package func cells(in row: Int) -> [Cell] {
    var cells = Array(repeating: Cell(), count: width)
    for piece in rows[row] {
      piece.draw { cell, place in
        let next = place + cell.width
        // What is left of a wide character beneath becomes blank.
        if cells[place].width == 0 { cells[place - 1] = Cell() }
        if next < width, cells[next].width == 0 { cells[next] = Cell() }
        cells[place] = cell
        if cell.width == 2 { cells[place + 1] = Cell(style: piece.style, width: 0) }
      }
    }
    return cells
  }

  /// The cells of all rows.
  package var cells: [Cell] { (0..<height).flatMap(cells) }

  package static func == (a: Frame, b: Frame) -> Bool {
    a.width == b.width && a.cells == b.cells && a.cursor == b.cursor
  }

  /// Returns whether a row has the same texts as in another frame. If not, its cells may be the same.
  func hasSameTexts(in row: Int, as other: Frame) -> Bool { rows[row] == other.rows[row] }

  /// Shows the cursor at a cell. Outside of the frame, it is hidden.
  package mutating func placeCursor(row: Int, column: Int) {
    cursor = (0..<height).contains(row) && (0..<width).contains(column) ? row * width + column : nil
  }

  /// Returns the number of cells that a character takes.
  package static func width(of character: Character) -> Int { character.printable.width }

  /// The frame as lines of text, without styles and without blanks at the ends of lines.
  package var text: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    (0..<height).map { number in
      let row = cells(in: number).filter { $0.width > 0 }.map(\.character)
      return String(row[...(row.lastIndex { $0 != " " } ?? -1)])
    }
  }

  /// Returns the lines that differ from those of a frame before, but no blank ones, and the line to which
  /// the cursor has moved.
  package func lines(since before: Frame?) -> [String] {
    var old = (before?.lines ?? []) + Array(repeating: "", count: height)
    if let cursor, cursor / width != before?.cursor.map({ $0 / width }) { old[cursor / width] = "" }
    return zip(lines, old).filter { $0 != $1 && !$0.isEmpty }.map(\.0)
  }
}
