import LineageTerminal

extension Frame {
  /// Writes a text into rows, broken at spaces where that is possible. Returns the row after it.
  @discardableResult
  mutating func write(_ text: String, wrappedIn rows: Range<Int>) -> Int {
    var (row, column) = (rows.lowerBound, 2)
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let length = word.prefix { !$0.isNewline }.reduce(1) { $0 + Frame.width(of: $1) }
      if column > 2, column + length > width - 2 { (row, column) = (row + 1, 2) }
      for character in (column > 2 ? " " : "") + word {
        let isEnd = character.isNewline || column + Frame.width(of: character) > width - 2
        if isEnd { (row, column) = (row + 1, 2) }
        guard row < rows.upperBound else { return row }
        if !character.isNewline { column = write("\(character)", row: row, column: column) }
      }
    }
    return row + 1
  }
}
