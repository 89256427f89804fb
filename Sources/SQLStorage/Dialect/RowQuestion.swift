package import ObjectGraph

/// A part of a query that a function of the store answers for each row. SQL cannot express this
/// part, because it is too deep, too long, or joins too many tables.
package enum RowQuestion {
  /// A question whether a row matches a condition. The answer is 1 or 0.
  case condition(Matcher)
  /// A question for the value of a property, which may be at the end of to-one properties.
  case value(ResolvedPath)
  /// A question for the row's position in an order. The answer is a blob that compares like the
  /// keys of the order.
  case rank([(place: ResolvedPath, isDescending: Bool)])
}
