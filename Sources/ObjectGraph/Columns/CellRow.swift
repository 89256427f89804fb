/// The cells of one row after the other, in memory of their own.
///
/// It is safe because each access is checked against the number of cells, all of which hold null from
/// the beginning, and because the memory lives as long as the row. Whoever loads a row says how long
/// the bytes of its texts and blobs are lent; see ``Cell``.
@safe
@usableFromInline
package final class CellRow {
  @usableFromInline let start: UnsafeMutablePointer<Cell>
  /// The number of cells.
  @usableFromInline package let count: Int

  /// Cells that all hold null.
  package init(count: Int) {
    self.count = count
    unsafe start = .allocate(capacity: max(1, count))
    unsafe start.initialize(repeating: .null, count: count)
  }

  deinit { unsafe start.deallocate() }

  /// The cell of a column.
  @inlinable
  package subscript(column: Int) -> Cell {
    @inline(__always)
    get {
      precondition(UInt(bitPattern: column) < UInt(bitPattern: count), "a row lacks the column")
      return unsafe start[column]
    }
    @inline(__always)
    set {
      precondition(UInt(bitPattern: column) < UInt(bitPattern: count), "a row lacks the column")
      unsafe start[column] = newValue
    }
  }

  /// Loads values, whose bytes go to the arena in place of those that were there.
  package func load(_ values: [StoredValue], _ arena: CellArena) {
    arena.reset()
    for (column, value) in values.enumerated() { self[column] = value.cell(in: arena) }
  }
}
