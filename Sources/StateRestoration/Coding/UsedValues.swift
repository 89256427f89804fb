/// The values of one record that methods of its responder or object have read or written. A save
/// copies the bytes of the others, except those of properties.
struct UsedValues: Equatable {
  /// One bit for each of the first 63 values. The highest bit is set in ``all``.
  private var first: UInt64 = 0
  /// The indices of the used values after the first 63.
  private var others: Set<Int> = []

  init() {}

  /// The set of all values of a record. It is used if methods have used all values that do not
  /// belong to properties.
  static let all: UsedValues = {
    var used = UsedValues()
    used.first = ~0
    return used
  }()

  /// Makes a set of the first `count` values.
  init(first count: Int) { for index in 0..<count { insert(index) } }

  /// Whether this is the set ``all``. This stays false even if each value is added by
  /// ``insert(_:)``.
  var isAll: Bool { first == ~0 }

  /// Adds a value, given by its index.
  mutating func insert(_ index: Int) {
    if index < 63 { first |= 1 << UInt64(index) } else { others.insert(index) }
  }

  /// Returns whether a value was used.
  func contains(_ index: Int) -> Bool {
    isAll || (index < 63 ? first & 1 << UInt64(index) != 0 : others.contains(index))
  }

  /// Returns whether the first `count` values were all used.
  func containsAll(first count: Int) -> Bool { (0..<count).allSatisfy(contains) }
}
