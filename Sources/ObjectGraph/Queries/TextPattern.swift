/// A text test that is prepared for many texts: the searched text is folded only once.
package struct TextPattern: Sendable {
  private let test: TextTest
  private let options: TextOptions
  private let needle: [UInt8]
  /// The table of the search by Knuth, Morris and Pratt; empty for tests other than `contains`.
  /// Element *n* - 1 is read when *n* bytes match and the next byte differs. It is the number of
  /// bytes that still match then.
  private let borders: [Int32]

  package init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    self.test = test
    self.options = options
    needle = Array(Folding.fold(text, options: options).utf8)
    borders = test == .contains ? Self.borders(of: needle) : []
  }

  /// Returns whether the test is true for a text. The UTF-8 of the folded texts is compared.
  package func matches(_ text: String) -> Bool {
    Folding.fold(text, options: options).withBytes { finds(in: $0) }
  }

  /// Returns whether the test is true for the text of a cell; false if the cell has no text.
  package func matches(_ cell: ColumnCell) -> Bool {
    guard cell.form == .text else { return false }
    if options.isEmpty { return cell.withBytes { finds(in: $0) } }
    return cell.text.map(matches) ?? false
  }

  private func finds(in haystack: Span<UInt8>) -> Bool {
    let needle = needle.span
    switch test {
    case .equals: return haystack.order(before: needle) == 0
    case .hasPrefix: return haystack.extracting(first: needle.count).order(before: needle) == 0
    case .hasSuffix: return haystack.extracting(last: needle.count).order(before: needle) == 0
    case .contains:
      var looks = 0
      return Self.contains(haystack, needle, borders, &looks)
    }
  }

  private static func borders(of needle: [UInt8]) -> [Int32] {
    var borders: [Int32] = [0]
    var border = 0
    for byte in needle.dropFirst() {
      while border > 0, byte != needle[border] { border = Int(borders[border - 1]) }
      if byte == needle[border] { border += 1 }
      borders.append(Int32(border))
    }
    return borders
  }

  /// Returns the number of times that a search reads a byte of a text. Tests check this number.
  package func looks(searching text: String) -> Int {
    var looks = 0
    text.withBytes { _ = Self.contains($0, needle.span, borders, &looks) }
    return looks
  }

  /// Returns whether the haystack contains the needle.
  ///
  /// - Complexity: O(*n*). The search reads each byte at most twice, even if the needle has
  ///   repetitions (Knuth, Morris and Pratt).
  private static func contains(
    _ haystack: Span<UInt8>, _ needle: Span<UInt8>, _ borders: [Int32], _ looks: inout Int
  ) -> Bool {
    guard !needle.isEmpty else { return true }
    let first = needle[0]
    var place = 0
    var found = 0
    while place < haystack.count {
      if found == 0 {
        var start = place
        while start < haystack.count, haystack[start] != first { start += 1 }
        guard start < haystack.count else {
          looks += haystack.count - place
          return false
        }
        looks += start - place + 1
        place = start + 1
        found = 1
      } else if haystack[place] == needle[found] {
        looks += 1
        place += 1
        found += 1
      } else {
        looks += 1
        found = Int(borders[found - 1])
      }
      if found == needle.count { return true }
    }
    return false
  }
}
