/// The cells of one row, in memory that is reused for the next row.
///
/// The type is safe because the memory lives as long as the `CellRow`, and each access is checked
/// against the number of cells. All cells are null at first. The cursor or reader that loads a row
/// decides how long the bytes of texts and blobs are valid; see ``ColumnCell``.
@safe
@usableFromInline
package final class CellRow {
  @usableFromInline let start: UnsafeMutablePointer<ColumnCell>
  /// The number of cells.
  @usableFromInline package let count: Int

  /// Creates a row whose cells are all null.
  package init(count: Int) {
    self.count = count
    unsafe start = .allocate(capacity: max(1, count))
    unsafe start.initialize(repeating: .null, count: count)
  }

  deinit { unsafe start.deallocate() }

  /// The cell of a column.
  @inlinable
  package subscript(column: Int) -> ColumnCell {
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

  /// Replaces the cells with cells of the values. The arena is reset first, and then owns copies of
  /// the values' bytes.
  package func load(_ values: [StoredValue], _ arena: CellArena) {
    arena.reset()
    for (column, value) in values.enumerated() { self[column] = value.cell(in: arena) }
  }
}
