import Terminal

extension Frame {
  /// Writes a text into rows, broken at spaces where that is possible. Returns the row after it.
  @discardableResult
  mutating func write(_ text: String, wrappedIn rows: Range<Int>) -> Int {
    var (row, column) = (rows.lowerBound, 2)
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      for word in line.split(separator: " ") {
        let length = word.reduce(0) { $0 + Frame.width(of: $1) }
        if column > 2, column + 1 + length > width - 2 { (row, column) = (row + 1, 2) }
        for character in (column > 2 ? " " : "") + word {
          if column + Frame.width(of: character) > width - 2 { (row, column) = (row + 1, 2) }
          guard row < rows.upperBound else { return row }
          column = write(String(character), row: row, column: column)
        }
      }
      (row, column) = (row + 1, 2)
    }
    return row
  }
}
