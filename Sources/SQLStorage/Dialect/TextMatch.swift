package import ObjectGraph

/// A test of a text. The type is a class, so that an engine can keep a pointer to the test.
package final class TextMatch {
  private let pattern: TextPattern

  package init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    pattern = TextPattern(test, text, options)
  }

  package func matches(_ cell: ColumnCell) -> Bool { pattern.matches(cell) }
}
