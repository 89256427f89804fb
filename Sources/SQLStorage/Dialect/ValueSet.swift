package import ObjectGraph

/// More values than a statement has parameters for, to which an engine can hold a pointer.
package final class ValueSet {
  private let values: Set<Stored>

  package init(_ values: [Stored]) { self.values = Set(values) }

  package func contains(_ cell: Cell) -> Bool { values.contains(cell.stored) }
}
