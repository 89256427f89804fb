/// A text test made ready: what is looked for, folded once.
package struct TextPattern: Sendable {
  private let test: TextTest
  private let options: TextOptions
  private let needle: [UInt8]

  package init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    self.test = test
    self.options = options
    needle = Array(Folding.fold(text, options: options).utf8)
  }

  /// Whether the test holds, by UTF-8 bytes after folding.
  package func matches(_ text: String) -> Bool {
    var text = Folding.fold(text, options: options)
    return text.withUTF8 { finds(in: UnsafeRawBufferPointer($0)) }
  }

  /// Whether the test holds of a text's UTF-8.
  package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    options.isEmpty ? finds(in: bytes) : matches(String(decoding: bytes, as: UTF8.self))
  }

  private func finds(in haystack: UnsafeRawBufferPointer) -> Bool {
    needle.withUnsafeBytes { needle in
      switch test {
      case .equals: haystack.elementsEqual(needle)
      case .hasPrefix: haystack.starts(with: needle)
      case .hasSuffix: haystack.suffix(needle.count).elementsEqual(needle)
      case .contains: Self.contains(haystack, needle)
      }
    }
  }

  private static func contains(
    _ haystack: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer
  ) -> Bool {
    guard let first = needle.first else { return true }
    var rest = haystack[...]
    while rest.count >= needle.count, let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: needle) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
