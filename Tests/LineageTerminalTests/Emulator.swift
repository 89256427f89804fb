import LineageTerminal

/// A strict terminal that never wraps. It knows the sequences of a ``FrameChange`` only, and keeps
/// all others as faults.
struct Emulator {
  struct Cell: Equatable {
    var character: Character = " "
    var style = 0
  }

  /// The cells by number. A nil is a cell that the character before it covers.
  private(set) var cells: [Cell?]
  /// The number of the cell with the cursor; nil if it is hidden.
  var cursor: Int? { isCursorShown ? row * width + column : nil }
  private(set) var faults: [String] = []
  let width: Int
  private var row = 0
  private var column = 0
  private var style = 0
  private var isCursorShown = true
  /// The widths of the parts in which this terminal draws a character.
  private let parts: (Character) -> [Int]

  init(width: Int, height: Int, parts: @escaping (Character) -> [Int]) {
    self.width = width
    self.parts = parts
    cells = Array(repeating: Cell(character: "?"), count: width * height)
  }

  /// Draws the text of a change.
  mutating func show(_ bytes: [UInt8]) {
    let pieces = String(decoding: bytes, as: UTF8.self).unicodeScalars.split(
      separator: "\u{1b}", omittingEmptySubsequences: false)
    draw(String(pieces[0]))
    for piece in pieces.dropFirst() {
      guard let end = piece.firstIndex(where: \.properties.isAlphabetic) else {
        faults.append("no end: \(piece)")
        continue
      }
      run(String(piece[...end]))
      draw(String(piece[piece.index(after: end)...]))
    }
  }

  private mutating func run(_ sequence: String) {
    let numbers = sequence.dropFirst().dropLast().split(separator: ";").map { Int($0) ?? -1 }
    switch (sequence, sequence.last) {
    case ("[?25l", _): isCursorShown = false
    case ("[?25h", _): isCursorShown = true
    case ("[2J", _): erase(cells.indices)
    case ("[2K", _): erase(row * width..<(row + 1) * width)
    case ("[0m", _): style = 0
    case (_, "m") where numbers.count == 2 && numbers[0] == 0: style = numbers[1]
    case (_, "H")
    where numbers.count == 2 && (1...width).contains(numbers[1])
      && (1...cells.count / width).contains(numbers[0]):
      (row, column) = (numbers[0] - 1, numbers[1] - 1)
    default: faults.append("ESC \(sequence)")
    }
  }

  private mutating func erase(_ range: Range<Int>) {
    if style != 0 { faults.append("erased in style \(style)") }
    for cell in range { cells[cell] = Cell() }
  }

  private mutating func draw(_ text: String) {
    for character in text {
      if character.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
        faults.append("a control character")
      }
      guard let first = character.unicodeScalars.first else { continue }
      switch first.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: faults.append("a mark on the cell before")
      default: for part in parts(character) { draw(character, part) }
      }
    }
  }

  /// Draws a part. At the right edge it is moved left, as terminals do that don't wrap.
  private mutating func draw(_ character: Character, _ part: Int) {
    guard part <= width else { return }
    column = min(column, width - part)
    let start = row * width + column
    // What remains of a character that is partly covered becomes blank.
    var before = start
    while cells[before] == nil { before -= 1 }
    var after = start + part
    while after < (row + 1) * width, cells[after] == nil { after += 1 }
    for cell in before..<after { cells[cell] = Cell() }
    cells[start] = Cell(character: character, style: style)
    if part == 2 { cells[start + 1] = nil }
    column += part
  }
}
