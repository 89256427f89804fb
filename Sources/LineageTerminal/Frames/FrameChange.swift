/// The text that turns one frame on a terminal into another.
package struct FrameChange {
  package private(set) var text = ""
  private let frame: Frame
  private let colors: Bool
  /// The cell at which the terminal's cursor is; nil if that is not known.
  private var place: Int?
  private var style: Style?

  /// Describes the change from a frame that the terminal shows, or from an unknown one, to another.
  package init(from old: Frame?, to new: Frame, colors: Bool) {
    (frame, self.colors) = (new, colors)
    guard old != new else { return }
    let isSameSize = old?.width == new.width && old?.height == new.height
    let shown = isSameSize ? old?.cells ?? [] : Frame(width: new.width, height: new.height).cells
    text = isSameSize ? "\u{1b}[?25l" : "\u{1b}[?25l\u{1b}[0m\u{1b}[2J"
    for start in stride(from: 0, to: shown.count, by: new.width) {
      let row = start..<start + new.width
      guard row.contains(where: { shown[$0] != new.cells[$0] }) else { continue }
      // The terminal may have drawn a doubtful character over others. So its row is written whole.
      let isDoubtful = (shown[row] + new.cells[row]).contains { $0.character.hasDoubtfulWidth }
      if isDoubtful {
        go(to: start)
        set(.plain)
        text += "\u{1b}[2K"
      }
      // Too wide for the last cell, a character moves left. What it covers there is written later.
      let end = row.upperBound - (new.cells[row.upperBound - 1].character.hasDoubtfulWidth ? 1 : 0)
      if end < row.upperBound { write(end) }
      for cell in start..<end where isDoubtful || shown[cell] != new.cells[cell] { write(cell) }
    }
    set(.plain)
    guard let cursor = new.cursor else { return }
    go(to: cursor)
    text += "\u{1b}[?25h"
  }

  private mutating func write(_ number: Int) {
    let cell = frame.cells[number]
    guard cell.width > 0 else { return }
    go(to: number)
    set(cell.style)
    text.append(cell.character)
    // After a doubtful character, the cursor may be anywhere; at the end of a row, it stays.
    let next = number + cell.width
    place = cell.character.hasDoubtfulWidth || next % frame.width == 0 ? nil : next
  }

  private mutating func go(to cell: Int) {
    if place != cell { text += "\u{1b}[\(cell / frame.width + 1);\(cell % frame.width + 1)H" }
    place = cell
  }

  private mutating func set(_ style: Style) {
    guard self.style != style else { return }
    self.style = style
    let number = style == .bad && !colors ? Style.bold : style
    text += number == .plain ? "\u{1b}[0m" : "\u{1b}[0;\(number.rawValue)m"
  }
}
