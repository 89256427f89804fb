/// An exact sum of integers, even if a partial sum exceeds an `Int64`.
package struct IntegerSum {
  /// The sum of the upper halves of the integers, with their signs. Neither this sum nor ``low``
  /// overflows with fewer than 2³¹ integers.
  private var high: Int64
  /// The sum of the lower halves of the integers.
  private var low: Int64

  package init(high: Int64 = 0, low: Int64 = 0) {
    self.high = high
    self.low = low
  }

  mutating func add(_ value: Int64) {
    high += value >> 32
    low += value & 0xffff_ffff
  }

  /// The sum; nil if it exceeds an `Int64`.
  package var total: Int64? {
    let upper = high + low >> 32
    guard let upper = Int32(exactly: upper) else { return nil }
    return Int64(upper) << 32 | low & 0xffff_ffff
  }
}
