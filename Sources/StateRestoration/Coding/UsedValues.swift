/// The values of one record that its owner's methods have read or written, by their index. A save
/// copies the archived bytes of the other values, unless a property has them.
struct UsedValues: Equatable {
  /// One bit for each of the first 64 values.
  fileprivate(set) var first: UInt64 = 0
  /// One bit for each value behind the first 64.
  fileprivate(set) var others: [UInt64] = []

  init() {}

  /// Makes a set of the first values, up to a count.
  init(first count: Int) {
    guard count > 0 else { return }
    first = Self.bits(min(count, 64))
    var rest = count - 64
    while rest > 0 {
      others.append(Self.bits(min(rest, 64)))
      rest -= 64
    }
  }

  private static func bits(_ count: Int) -> UInt64 { ~0 >> UInt64(64 - count) }

  /// Adds a value.
  mutating func insert(_ index: Int) {
    guard index >= 64 else { return first |= 1 << UInt64(index) }
    let word = index / 64 - 1
    while others.count <= word { others.append(0) }
    others[word] |= 1 << UInt64(index % 64)
  }

  /// Returns whether a value was used.
  func contains(_ index: Int) -> Bool {
    guard index >= 64 else { return first & 1 << UInt64(index) != 0 }
    let word = index / 64 - 1
    return word < others.count && others[word] & 1 << UInt64(index % 64) != 0
  }

  /// Returns whether all of the first values, up to a count, were used.
  func containsAll(first count: Int) -> Bool {
    if count <= 64 { return count == 0 || ~first & Self.bits(count) == 0 }
    return first == ~0 && (64..<count).allSatisfy(contains)
  }
}

/// The used values of all records, by the records' numbers.
///
/// A record takes one word, and more if it has used a value behind its first 64.
struct UsedTable {
  private var first: [UInt64]
  private var others: [UInt32: [UInt64]] = [:]

  /// Makes a table of as many records as the count says. None of their values is used.
  init(count: Int = 0) { first = Array(repeating: 0, count: count) }

  /// Adds records until there are as many as the count says. None of their values is used.
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
