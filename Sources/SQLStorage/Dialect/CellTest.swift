package import ObjectGraph

/// A test of a value that takes one parameter, because the engine calls back to make it.
///
/// The type is a class, so that an engine can keep a pointer to the test.
package final class CellTest {
  private enum Kind {
    case isIn(Set<StoredValue>)
    case text(TextPattern)
  }

  private let kind: Kind

  /// Creates a test whether a value is one of the given values, which may be more than a statement
  /// may have parameters.
  package init(isIn values: [StoredValue]) { kind = .isIn(Set(values)) }

  package init(_ test: TextTest, _ text: String, _ options: TextOptions) {
    kind = .text(TextPattern(test, text, options))
  }

  package func holds(_ cell: ColumnCell) -> Bool {
    switch kind {
    case .isIn(let values): values.contains(cell.stored)
    case .text(let pattern): cell.form == .text && pattern.matches(cell)
    }
  }
}
