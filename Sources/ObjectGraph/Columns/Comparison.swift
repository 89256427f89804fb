/// The comparison of two values that a filter can make.
package enum Comparison: String, Hashable, Sendable, Codable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

extension Comparison {
  /// Whether the comparison holds; a nil is equal to nil only, and neither less nor greater.
  package func holds(_ one: Stored, _ other: Stored) -> Bool {
    switch self {
    case .equal: return Stored.order(one, other) == 0
    case .notEqual: return Stored.order(one, other) != 0
    default: break
    }
    guard !one.isNull, !other.isNull else { return false }
    let order = Stored.order(one, other)
    return switch self {
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    default: order >= 0
    }
  }
}
