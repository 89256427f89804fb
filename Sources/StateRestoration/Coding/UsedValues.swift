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

/// The used values of all records, stored under the records' numbers.
///
/// A record takes one word, or more if a value after its first 63 was used.
struct UsedTable {
  private var first: [UInt64]
  private var others: [UInt32: [UInt64]] = [:]

  /// Makes a table of `count` records without used values.
  init(count: Int = 0) { first = Array(repeating: 0, count: count) }

  /// Adds records without used values, until there are `count` records.
  mutating func grow(to count: Int) {
    while first.count < count { first.append(0) }
  }

  /// The used values of a record.
  subscript(id: UInt32) -> UsedValues {
    get {
      var used = UsedValues()
      guard Int(id) < first.count else { return used }
      used.first = first[Int(id)]
      if !others.isEmpty, let more = others[id] { used.others = more }
      return used
    }
    set {
      grow(to: Int(id) + 1)
      first[Int(id)] = newValue.first
      if !newValue.others.isEmpty || !others.isEmpty {
        others[id] = newValue.others.isEmpty ? nil : newValue.others
      }
    }
  }
}
