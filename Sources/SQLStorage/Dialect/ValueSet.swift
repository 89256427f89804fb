package import ObjectGraph

/// More values than a statement has parameters for, to which an engine can hold a pointer.
package final class ValueSet {
  private let values: Set<StoredValue>

  package init(_ values: [StoredValue]) { self.values = Set(values) }

  package func contains(_ cell: Cell) -> Bool { values.contains(cell.stored) }
}
