package import ObjectGraph

/// A test of a text. It is an object, so that an engine can hold a pointer to it.
package final class TextMatch {
  private let pattern: TextPattern

  package init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    pattern = TextPattern(test, text, options)
  }

  package func matches(_ cell: Cell) -> Bool { pattern.matches(cell) }
}
