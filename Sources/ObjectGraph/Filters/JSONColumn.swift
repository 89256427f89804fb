/// An optional attribute kept as JSON, in a filter: it is there, or it is not.
public struct JSONColumn<Root: Entity> {
  let reach: ColumnReach
  let name: String

  /// Whether there is no value.
  public static func == (column: Self, _: _OptionalNilComparisonType) -> Filter<Root> {
    Filter(.compare(column.reach.property(column.name), .equal, .null), column.reach.depth)
  }

  /// Whether there is a value.
  public static func != (column: Self, _: _OptionalNilComparisonType) -> Filter<Root> {
    Filter(.compare(column.reach.property(column.name), .notEqual, .null), column.reach.depth)
  }
}

extension JSONColumn {
  /// What is in JSON cannot be looked for: a store compares it with nil only.
  @available(
    *, unavailable,
    message: """
      a json: property can only be compared with nil (== nil, != nil), and only if it is optional; \
      keep what is looked for in an attribute of its own
      """
  )
  public func contains(_ value: Any) -> Filter<Root> { Filter(.constant(false)) }
}
