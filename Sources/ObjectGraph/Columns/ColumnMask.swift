/// A set of columns, kept as bits. Copying it needs no reference counting.
package struct ColumnMask: Hashable, Sendable {
  /// The greatest number of columns that an entity can have.
  static let limit = 128

  private var low: UInt64 = 0
  private var high: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { low == 0 && high == 0 }

  package mutating func insert(_ column: Int) {
    if column < 64 { low |= 1 << UInt64(column) } else { high |= 1 << UInt64(column - 64) }
  }

  package mutating func formUnion(_ other: ColumnMask) {
    low |= other.low
    high |= other.high
  }

  package func union(_ other: ColumnMask) -> ColumnMask {
    var mask = self
    mask.formUnion(other)
    return mask
  }

  package func intersection(_ other: ColumnMask) -> ColumnMask {
    var mask = self
    mask.low &= other.low
    mask.high &= other.high
    return mask
  }

  package func subtracting(_ other: ColumnMask) -> ColumnMask {
    var mask = self
    mask.low &= ~other.low
    mask.high &= ~other.high
    return mask
  }

  package func contains(_ column: Int) -> Bool {
    column < 64
      ? low & (1 << UInt64(column)) != 0 : high & (1 << UInt64(column - 64)) != 0
  }
}
