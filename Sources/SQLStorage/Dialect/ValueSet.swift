package import ObjectGraph

/// The values of a membership test with more values than a statement may have parameters.
///
/// The type is a class, so that an engine can keep a pointer to the set.
package final class ValueSet {
  private let values: Set<StoredValue>

  package init(_ values: [StoredValue]) { self.values = Set(values) }

  package func contains(_ cell: ColumnCell) -> Bool { values.contains(cell.stored) }
}
