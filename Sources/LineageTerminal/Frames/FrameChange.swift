/// The text that turns one frame on a terminal into another.
package struct FrameChange {
  /// The text in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private let width: Int, colors: Bool
  /// The cell at which the terminal's cursor is; nil if that is not known.
  private var place: Int?
  private var style: Style?

  /// Describes the change from a frame that the terminal shows, or from an unknown one, to another.
  package init(from old: Frame?, to new: Frame, colors: Bool) {
    (width, self.colors) = (new.width, colors)
    let isSameSize = old?.width == new.width && old?.height == new.height
    let shown = (isSameSize ? old : nil) ?? Frame(width: new.width, height: new.height)
    let changes = (0..<new.height).filter { new.rows[$0] != shown.rows[$0] }
    guard !changes.isEmpty || shown.cursor != new.cursor || !isSameSize else { return }
    put(isSameSize ? "\u{1b}[?25l" : "\u{1b}[?25l\u{1b}[0m\u{1b}[2J")
    for row in changes {
      let (start, before, cells) = (row * width, shown.rows[row], new.rows[row])
      // The terminal may have drawn a doubtful character over others. So its row is written whole.
      let isDoubtful = (0..<width).contains { before[$0].isDoubtful || cells[$0].isDoubtful }
      if isDoubtful {
        go(to: start)
        set(.plain)
        put("\u{1b}[2K")
      }
      // Too wide for the last cell, a character moves left. What it covers there is written later.
      let end = width - (cells[width - 1].isDoubtful ? 1 : 0)
      if end < width { write(cells[end], at: start + end) }
      for column in 0..<end where isDoubtful || before[column] != cells[column] {
        write(cells[column], at: start + column)
      }
    }
    set(.plain)
    guard let cursor = new.cursor else { return }
    go(to: cursor)
    put("\u{1b}[?25h")
  }

  private mutating func put(_ text: String) { bytes += text.utf8 }

  private mutating func write(_ cell: Frame.Cell, at number: Int) {
    guard cell.width > 0 else { return }
    go(to: number)
    set(cell.style)
    if let byte = cell.byte { bytes.append(byte) } else { bytes += cell.character.utf8 }
    // After a doubtful character, the cursor may be anywhere; at the end of a row, it stays.
    let next = number + cell.width
    place = cell.isDoubtful || next % width == 0 ? nil : next
  }

  private mutating func go(to cell: Int) {
    if place != cell { put("\u{1b}[\(cell / width + 1);\(cell % width + 1)H") }
    place = cell
  }

  private mutating func set(_ style: Style) {
    guard self.style != style else { return }
    self.style = style
    let number = style == .bad && !colors ? Style.bold : style
    put(number == .plain ? "\u{1b}[0m" : "\u{1b}[0;\(number.rawValue)m")
  }
}
