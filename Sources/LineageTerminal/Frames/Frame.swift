/// The look of a text in a frame. The raw value is the number that terminals have for it.
package enum Style: Int, Sendable {
  case plain = 0, bold = 1, dim = 2, underline = 4, reverse = 7
  /// Bad news, in red if there are colours.
  case bad = 31
}

/// All that a terminal shows, as a value: rows of cells, and perhaps a cursor.
package struct Frame: Equatable, Sendable {
  /// One cell. The right half of a wide character is a cell of width zero.
  package struct Cell: Equatable, Sendable {
    package var character: Character = " "
    package var style = Style.plain
    package var width = 1
  }

  package let width: Int
  package let height: Int
  package private(set) var cells: [Cell]
  /// The number of the cell with the cursor; nil if it is hidden.
  package private(set) var cursor: Int?

  /// Creates a blank frame, of at least one cell and at most 1,000 rows and columns.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (max(1, min(width, 1000)), max(1, min(height, 1000)))
    cells = Array(repeating: Cell(), count: self.width * self.height)
  }

  /// Writes a text into a row, at most to the given width and to the end of the row. Returns the
  /// column after it. Outside of the frame, nothing is written.
  @discardableResult
  package mutating func write(
    _ text: some StringProtocol, row: Int, column: Int, width limit: Int = .max,
    style: Style = .plain
  ) -> Int {
    guard (0..<height).contains(row), (0..<width).contains(column) else { return column }
    var place = row * width + column
    let end = place + min(limit, width - column)
    // A loop over a generic text would ask the runtime for types at each character.
    for character in String(text).lazy.map(\.printable) {
      let cell = Cell(character: character, style: style, width: character.width)
      guard place + cell.width <= end else { break }
      // What is left of a wide character beneath becomes blank.
      if cells[place].width == 0 { cells[place - 1] = Cell() }
      let next = place + cell.width
      if next < cells.count, cells[next].width == 0 { cells[next] = Cell() }
      cells[place] = cell
      if cell.width == 2 { cells[place + 1] = Cell(style: style, width: 0) }
      place = next
    }
    return place - row * width
  }

  /// Shows the cursor at a cell. Outside of the frame, it is hidden.
  package mutating func placeCursor(row: Int, column: Int) {
    cursor = (0..<height).contains(row) && (0..<width).contains(column) ? row * width + column : nil
  }

  /// Returns the number of cells that a character takes.
  package static func width(of character: Character) -> Int { character.printable.width }

  /// The frame as lines of text, without styles and without blanks at the ends of lines.
  package var text: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    stride(from: 0, to: cells.count, by: width).map { start in
      let row = cells[start..<start + width].filter { $0.width > 0 }.map(\.character)
      return String(row[...(row.lastIndex { $0 != " " } ?? -1)])
    }
  }

  /// Returns the lines that differ from those of a frame before, but no blank ones.
  package func lines(since before: Frame?) -> [String] {
    let old = (before?.lines ?? []) + Array(repeating: "", count: height)
    return zip(lines, old).filter { $0 != $1 && !$0.isEmpty }.map(\.0)
  }
}
