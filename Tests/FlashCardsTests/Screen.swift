import Foundation
import LineageTerminal

/// A terminal that knows only the sequences that the program uses. Others are kept as mistakes.
struct Screen {
  /// The characters in the cells. The right half of a wide one is a zero.
  private(set) var rows: [[Character]]
  private var row = 0
  private var column = 0
  private(set) var isAlternate = false
  private(set) var mistakes: [String] = []
  private var rest: [UInt8] = []
  /// Whether a sequence or a character was shown whose end is still to come.
  var isCutOff: Bool { !rest.isEmpty }
  /// The place of the cursor; nil if it is hidden.
  var cursor: [Int]? { isCursorShown ? [row, column] : nil }
  private var isCursorShown = true
  /// The number of cells that this terminal gives to a character.
  private let widthOf: (Character) -> Int

  init(width: Int, height: Int, widthOf: @escaping (Character) -> Int = Frame.width(of:)) {
    self.widthOf = widthOf
    rows = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  /// The shown text, without the blanks at the ends of lines.
  var text: String {
    rows.map { row in
      let characters = row.filter { $0 != "\0" }
      return String(characters[...(characters.lastIndex { $0 != " " } ?? -1)])
    }.joined(separator: "\n")
  }

  /// Shows what a program has written.
  mutating func show(_ bytes: some Sequence<UInt8>) {
    rest += bytes
    // A character or a sequence may be cut off at the end.
    guard let text = String(validating: rest, as: UTF8.self) else { return }
    var characters = text[...]
    while let character = characters.first {
      if character == "\u{1b}" {
        guard let end = characters.dropFirst(2).firstIndex(where: { $0.isLetter }) else { break }
        run(characters[..<end].dropFirst(), characters[end])
        characters = characters[end...].dropFirst()
      } else {
        write(character)
        characters = characters.dropFirst()
      }
    }
    rest = Array(characters.utf8)
  }

  private mutating func run(_ parameters: Substring, _ command: Character) {
    let numbers = parameters.dropFirst().split(separator: ";").compactMap { Int($0) }
    switch (parameters.first, command) {
    case ("[", "H"): (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
    case ("[", "J"): rows = rows.map { $0.map { _ in " " } }
    case ("[", "K"): rows[row] = rows[row].map { _ in " " }
    case ("[", "m"): break
    case ("[", "h"), ("[", "l"):
      if parameters == "[?1049" { isAlternate = command == "h" }
      if parameters == "[?25" { isCursorShown = command == "h" }
    default: mistakes.append("\(parameters)\(command)")
    }
  }

  private mutating func write(_ character: Character) {
    if character.isASCII, character < " " || character == "\u{7f}" {
      // After the end, the shell's line may be broken.
      if character != "\r\n", character != "\n" { mistakes.append("a control character") }
      return
    }
    guard rows.indices.contains(row), rows[row].indices.contains(column) else { return }
    rows[row][column] = character
    column += 1
    if widthOf(character) == 2, column < rows[row].count {
      rows[row][column] = "\0"
      column += 1
    }
  }
}
