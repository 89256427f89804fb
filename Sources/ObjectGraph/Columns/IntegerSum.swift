/// A sum of integers, exact however far it goes on the way.
package struct IntegerSum {
  /// Of the upper halves, signed, and of the lower: neither overflows below two thousand million rows.
  private var high: Int64
  private var low: Int64

  package init(high: Int64 = 0, low: Int64 = 0) {
    self.high = high
    self.low = low
  }

  mutating func add(_ value: Int64) {
    high += value >> 32
    low += value & 0xffff_ffff
  }

  /// The sum; nil if it is more than an integer holds.
  package var total: Int64? {
    let upper = high + low >> 32
    guard let upper = Int32(exactly: upper) else { return nil }
    return Int64(upper) << 32 | low & 0xffff_ffff
  }
}
