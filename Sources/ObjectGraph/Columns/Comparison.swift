/// A comparison that a filter can make between two values.
package enum Comparison: String, Hashable, Sendable, Codable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

extension Comparison {
  /// Returns whether the comparison is true of two values, which are compared in the given order.
  ///
  /// Null is equal to null only. It is neither less nor greater than any value.
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
