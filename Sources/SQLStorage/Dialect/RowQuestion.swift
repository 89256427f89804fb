package import ObjectGraph

/// A part of a query that SQL cannot hold, because it is too deep, too long, or joins too many
/// tables.
package enum RowQuestion {
  /// Whether a row meets a condition: 1 or 0.
  case condition(Matcher)
  case value(ResolvedPath)
  /// Keys of an order as bytes that sort as they do.
  case rank([(place: ResolvedPath, isDescending: Bool)])
}
