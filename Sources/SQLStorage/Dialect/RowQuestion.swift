package import ObjectGraph

/// A part of a query that SQL cannot express, because it is too deep, too long, or joins too many
/// tables.
package enum RowQuestion {
  /// A test whether a row meets a condition; the answer is 1 or 0.
  case condition(Matcher)
  /// The value of a property, or of one behind to-one properties.
  case value(ResolvedPath)
  /// The row's keys of an order, as one blob that compares as the keys do.
  case rank([(place: ResolvedPath, isDescending: Bool)])
}
