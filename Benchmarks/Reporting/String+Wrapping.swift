extension String {
  /// Returns the words in lines of at most `width` characters, unless one word is longer.
  ///
  /// Each line except the first begins with `indentation`.
  func wrapped(to width: Int, hanging indentation: String = "") -> [String] {
    var lines: [String] = []
    var line = ""
    var isEmpty = true
    for word in split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        (line, isEmpty) = (indentation, true)
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}
