/// The comparison of two values that a filter can make.
package enum Comparison: String, Hashable, Sendable, Codable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

extension Comparison {
  /// Whether the comparison holds of two values of one order.
  ///
  /// A null is equal to null only, and neither less nor greater than anything.
  package func holds(_ one: StoredValue, _ other: StoredValue, in order: ColumnOrder) -> Bool {
    let place = order.compare(one, other)
    let isOrdered = !one.isNull && !other.isNull
    return switch self {
    case .equal: place == 0
    case .notEqual: place != 0
    case .less: isOrdered && place < 0
    case .lessOrEqual: isOrdered && place <= 0
    case .greater: isOrdered && place > 0
    case .greaterOrEqual: isOrdered && place >= 0
    }
  }
}
