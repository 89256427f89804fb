// Every store orders values in this way: nulls, then numbers, texts by their UTF-8, and blobs by
// their bytes.

extension StoredValue {
  /// Returns a negative number if the first value comes first, zero if they are equal, else a
  /// positive number.
  package static func order(_ one: StoredValue, _ other: StoredValue) -> Int {
    switch (one, other) {
    case (.integer(let one), .integer(let other)): compare(one, other)
    case (.real(let one), .real(let other)): compare(one, other)
    case (.integer(let one), .real(let other)): order(one, other)
    case (.real(let one), .integer(let other)): -order(other, one)
    case (.text(let one), .text(let other)):
      one.withBytes { one in other.withBytes { one.order(before: $0) } }
    case (.blob(let one), .blob(let other)): one.span.order(before: other.span)
    default: compare(one.rank, other.rank)
    }
  }

  /// Returns the order of two texts by the decimal numbers in them: a negative number if the first
  /// value comes first, zero if they are equal, else a positive number.
  static func decimalOrder(_ one: StoredValue, _ other: StoredValue) -> Int {
    guard case .text(let text) = one, case .text(let second) = other else {
      return order(one, other)
    }
    return DecimalText.order(text, second)
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  package var isNaN: Bool {
    if case .real(let value) = self { value.isNaN } else { false }
  }

  private static func compare<T: Comparable>(_ one: T, _ other: T) -> Int {
    one < other ? -1 : one == other ? 0 : 1
  }

  /// Returns a negative number if the integer comes first, zero if both are equal, else a positive
  /// number. The order is exact, because the integer is not rounded to a `Double`.
  private static func order(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    // The real is less than every integer, or is NaN, which stores treat as null.
    guard real >= -0x1p63 else { return 1 }
    let whole = Int64(real)
    return integer == whole ? compare(Double(whole), real) : compare(integer, whole)
  }
}

extension StoredValue: Equatable {
  /// Returns whether a store considers two values equal.
  ///
  /// Null equals null. Texts are compared by their UTF-8, because an index can serve only this
  /// order. So `é` as one scalar differs from `é` as two. An integer and a real are different even
  /// if they are the same number.
  public static func == (one: StoredValue, other: StoredValue) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.integer(let one), .integer(let other)): one == other
    case (.real(let one), .real(let other)): one == other || (one.isNaN && other.isNaN)
    case (.text(let one), .text(let other)): one.withBytes { $0.isEqual(to: other) }
    case (.blob(let one), .blob(let other)): one == other
    default: false
    }
  }
}

extension StoredValue: Hashable {
  /// Hashes the kind and the value. Texts are hashed by their UTF-8.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.isNaN ? .nan : value)
    case .text(let text): text.hashBytes(into: &hasher)
    case .blob(let bytes): hasher.combine(bytes)
    }
  }
}
