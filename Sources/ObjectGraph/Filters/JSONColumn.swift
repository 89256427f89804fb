/// An optional attribute stored as JSON. A filter can only test whether the attribute is nil.
public struct JSONColumn<Root: Entity> {
  let reach: ColumnReach
  let name: String

  /// Returns a filter for objects whose attribute is nil.
  public static func == (column: Self, _: _OptionalNilComparisonType) -> Filter<Root> {
    Filter(.compare(column.reach.property(column.name), .equal, .null), column.reach.depth)
  }

  /// Returns a filter for objects whose attribute is not nil.
  public static func != (column: Self, _: _OptionalNilComparisonType) -> Filter<Root> {
    Filter(.compare(column.reach.property(column.name), .notEqual, .null), column.reach.depth)
  }
}

extension JSONColumn {
  /// Explains in a compiler error that a store can only compare JSON with nil.
  @available(
    *, unavailable,
    message: """
      a json: property can only be compared with nil (== nil, != nil), and only if it is optional; \
      keep what is looked for in an attribute of its own
      """
  )
  public func contains(_ value: Any) -> Filter<Root> { Filter(.constant(false)) }
}
