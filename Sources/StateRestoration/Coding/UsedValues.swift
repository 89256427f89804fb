/// The values of one record that methods of its responder or object have read or written. A save
/// copies the archived bytes of the other values, except of values that belong to properties.
///
/// If all values were used by methods or belong to properties, all count as used.
struct UsedValues: Equatable {
  /// One bit for each of the first 63 values. The highest bit is set if all values were used.
  fileprivate(set) var first: UInt64 = 0
  /// One bit for each value after the first 63.
  fileprivate(set) var others: [UInt64] = []

  /// The number of values with bits in ``first``.
  private static let inline = 63

  init() {}

  /// The set of all values of a record.
  static let all: UsedValues = {
    var used = UsedValues()
    used.first = ~0
    return used
  }()

  /// Makes a set of the first `count` values.
  init(first count: Int) {
    first = Self.bits(min(count, Self.inline))
    var rest = count - Self.inline
    while rest > 0 {
      others.append(Self.bits(min(rest, 64)))
      rest -= 64
    }
  }

  private static func bits(_ count: Int) -> UInt64 {
    count > 0 ? ~0 >> UInt64(64 - count) : 0
  }

  /// Whether this is the set ``all``. This stays false even if each value is added by
  /// ``insert(_:)``.
  var isAll: Bool { first & 1 << 63 != 0 }

  /// Adds a value, given by its index.
  mutating func insert(_ index: Int) {
    guard index >= Self.inline else { return first |= 1 << UInt64(index) }
    let (word, bit) = (index - Self.inline).quotientAndRemainder(dividingBy: 64)
    while others.count <= word { others.append(0) }
    others[word] |= 1 << UInt64(bit)
  }

  /// Returns whether a value was used.
  func contains(_ index: Int) -> Bool {
    if isAll { return true }
    guard index >= Self.inline else { return first & 1 << UInt64(index) != 0 }
    let (word, bit) = (index - Self.inline).quotientAndRemainder(dividingBy: 64)
    return word < others.count && others[word] & 1 << UInt64(bit) != 0
  }

  /// Returns whether the first `count` values were all used.
  func containsAll(first count: Int) -> Bool {
    if isAll { return true }
    let bits = Self.bits(min(count, Self.inline))
    guard ~first & bits == 0 else { return false }
    return count <= Self.inline || (Self.inline..<count).allSatisfy(contains)
  }
}
