import Synchronization

/// The look of a text in a frame. The raw value is the number that terminals have for it. Bad news are
/// red if there are colours.
package enum Style: Int, Sendable {
  case plain = 0, bold = 1, dim = 2, underline = 4, reverse = 7, bad = 31
}

/// All that a terminal shows, as a value: rows of cells, and perhaps a cursor.
package struct Frame: Equatable, Sendable {
  /// One cell. The right half of a wide character is a cell of width zero.
  ///
  /// A cell is a few numbers, so that rows are copied and compared in little time.
  package struct Cell: Equatable, Sendable {
    /// The character's scalar, or above all scalars, its place among the clusters.
    private var code: UInt32 = 0x20
    package var style = Style.plain, width = 1

    package var character: Character {
      if let scalar = Unicode.Scalar(code) { return Character(scalar) }
      return clusters.withLock { $0.all[Int(code - Self.firstCluster)] }
    }

    /// Whether terminals disagree about the width of the character.
    package var isDoubtful: Bool { code > 0x7e && character.hasDoubtfulWidth }

    /// The character in UTF-8 if that is one byte.
    var byte: UInt8? { code < 0x7f ? UInt8(code) : nil }

    /// The first number above all scalars.
    private static let firstCluster: UInt32 = 0x11_0000

    /// Returns the cells of a text, as far as there is room.
    static func row(of text: String, _ style: Style, room: Int) -> [Cell] {
      let bytes = text.utf8.span
      // Each byte of most texts is a character.
      if bytes.indices.allSatisfy({ (0x20..<0x7f).contains(bytes[$0]) }) {
        return bytes.indices.prefix(max(0, room)).map { Cell(code: .init(bytes[$0]), style: style) }
      }
      var cells: [Cell] = []
      for character in text.lazy.map(\.printable) {
        guard cells.count + character.width <= room else { break }
        let cell = Cell(code: code(of: character), style: style, width: character.width)
        cells += [cell, Cell(style: style, width: 0)].prefix(cell.width)
      }
      return cells
    }

    private static func code(of character: Character) -> UInt32 {
      let scalars = character.unicodeScalars
      if let scalar = scalars.first, scalars.count == 1 { return scalar.value }
      return clusters.withLock { clusters in
        if let code = clusters.codes[character] { return code }
        // Clusters are kept as long as the process lives, so their number is limited.
        guard clusters.all.count < 1 << 16 else { return 0xfffd }
        clusters.all.append(character)
        clusters.codes[character] = firstCluster + UInt32(clusters.all.count - 1)
        return clusters.codes[character] ?? 0xfffd
      }
    }
  }

  package let width: Int, height: Int
  /// The cells of each row. A row may be kept and shown again in other frames of the same width. Rows
  /// that are the same array need no comparison.
  package var rows: [[Cell]]
  /// The number of the cell with the cursor; nil if it is hidden.
  package private(set) var cursor: Int?

  /// Creates a blank frame, of at least one cell and at most 1,000 rows and columns.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (max(1, min(width, 1000)), max(1, min(height, 1000)))
    rows = Array(repeating: Array(repeating: Cell(), count: self.width), count: self.height)
  }

  /// Writes a text into a row, at most to the given width and to the end of the row. Returns the
  /// column after it. Outside of the frame, nothing is written.
  @discardableResult
  package mutating func write(
    _ text: String, row: Int, column: Int, width limit: Int = .max, style: Style = .plain
  ) -> Int {
    guard (0..<height).contains(row), (0..<width).contains(column) else { return column }
    let cells = Cell.row(of: text, style, room: min(limit, width - column))
    let next = column + cells.count
    guard next > column else { return column }
    // What is left of a wide character beneath becomes blank.
    if rows[row][column].width == 0 { rows[row][column - 1] = Cell() }
    if next < width, rows[row][next].width == 0 { rows[row][next] = Cell() }
    rows[row].replaceSubrange(column..<next, with: cells)
    return next
  }

  /// The cells of all rows.
  package var cells: [Cell] { Array(rows.joined()) }

  /// Shows the cursor at a cell. Outside of the frame, it is hidden.
  package mutating func placeCursor(row: Int, column: Int) {
    cursor = (0..<height).contains(row) && (0..<width).contains(column) ? row * width + column : nil
  }

  /// Returns the number of cells that a character takes.
  package static func width(of character: Character) -> Int { character.printable.width }

  /// The frame as lines of text, without styles and without blanks at the ends of lines.
  package var text: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    rows.map { cells in
      let row = cells.filter { $0.width > 0 }.map(\.character)
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

/// The characters of several scalars that cells have shown, and their numbers.
private let clusters = Mutex((all: [Character](), codes: [Character: UInt32]()))
