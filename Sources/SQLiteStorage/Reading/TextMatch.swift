import ObjectGraph

/// A text test that SQLite can hold a pointer to.
final class TextMatch {
  private let pattern: TextPattern

  init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    pattern = TextPattern(test, text, options)
  }

  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { pattern.matches(bytes) }
}
