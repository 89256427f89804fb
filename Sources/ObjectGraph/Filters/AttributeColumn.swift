/// An attribute in a filter or an order.
///
/// Values are compared as in a store: texts by their UTF-8, enums by their raw value, dates and
/// numbers by size. So `é` as one scalar differs from `é` as two. A comparison with `<`, `<=`, `>`
/// or `>=` is false if either side is nil. `==` and `!=` treat nil as a value.
public struct AttributeColumn<Root: Entity, Value> {
  let reach: ColumnReach
  package let path: PropertyPath
  let literal: (Value) -> StoredValue

  init(_ reach: ColumnReach, _ name: String, literal: @escaping (Value) -> StoredValue) {
    self.reach = reach
    path = reach.property(name)
    self.literal = literal
  }

  func compare(_ comparison: Comparison, _ value: Value) -> Filter<Root> {
    Filter(.comparing(path, comparison, literal(value)), reach.depth)
  }

  func compare(_ comparison: Comparison, _ other: Self) -> Filter<Root> {
    Filter(.compareProperties(path, comparison, other.path), reach.depth, other.reach.depth)
  }
}

extension AttributeColumn {
  /// Returns a filter for objects whose attribute has the value.
  public static func == (column: Self, value: Value) -> Filter<Root> {
    column.compare(.equal, value)
  }

  /// Returns a filter for objects whose attribute does not have the value. If the value is not nil,
  /// objects whose attribute is nil are included.
  public static func != (column: Self, value: Value) -> Filter<Root> {
    column.compare(.notEqual, value)
  }

  /// Returns a filter for objects in which two attributes have the same value or are both nil.
  public static func == (one: Self, other: Self) -> Filter<Root> { one.compare(.equal, other) }

  /// Returns a filter for objects in which two attributes differ, or only one of them is nil.
  public static func != (one: Self, other: Self) -> Filter<Root> { one.compare(.notEqual, other) }

  /// Returns a filter for objects whose attribute has one of the values.
  ///
  /// - Complexity: O(*n*) for *n* values.
  public func isIn(_ values: some Sequence<Value>) -> Filter<Root> {
    Filter(.including(path, values.map(literal)), reach.depth)
  }
}

// Comparisons of an optional attribute with an attribute that is not optional.

extension AttributeColumn {
  fileprivate func compare<Other>(
    _ comparison: Comparison, to other: AttributeColumn<Root, Other>
  ) -> Filter<Root> {
    Filter(.compareProperties(path, comparison, other.path), reach.depth, other.reach.depth)
  }

  /// Returns a filter for objects whose optional attribute has the value of the other attribute.
  public static func == (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.equal, to: other)
  }

  /// Returns a filter for objects whose optional attribute has the value of the other attribute.
  public static func == (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.equal, to: other)
  }

  /// Returns a filter for objects whose optional attribute is nil or differs from the other
  /// attribute.
  public static func != (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.notEqual, to: other)
  }

  /// Returns a filter for objects whose optional attribute is nil or differs from the other
  /// attribute.
  public static func != (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.notEqual, to: other)
  }
}

extension AttributeColumn where Value: AttributeValue {

  /// Returns a filter for objects whose attribute is not nil and is less than the value.
  public static func < (column: Self, value: Value) -> Filter<Root> { column.compare(.less, value) }

  /// Returns a filter for objects whose attribute is not nil and is at most the value.
  public static func <= (column: Self, value: Value) -> Filter<Root> {
    column.compare(.lessOrEqual, value)
  }

  /// Returns a filter for objects whose attribute is not nil and is greater than the value.
  public static func > (column: Self, value: Value) -> Filter<Root> {
    column.compare(.greater, value)
  }

  /// Returns a filter for objects whose attribute is not nil and is at least the value.
  public static func >= (column: Self, value: Value) -> Filter<Root> {
    column.compare(.greaterOrEqual, value)
  }

  /// Returns a filter for objects in which the first attribute is less than the second, and neither
  /// is nil.
  public static func < (one: Self, other: Self) -> Filter<Root> { one.compare(.less, other) }

  /// Returns a filter for objects in which the first attribute is at most the second, and neither
  /// is nil.
  public static func <= (one: Self, other: Self) -> Filter<Root> {
    one.compare(.lessOrEqual, other)
  }

  /// Returns a filter for objects in which the first attribute is greater than the second, and
  /// neither is nil.
  public static func > (one: Self, other: Self) -> Filter<Root> { one.compare(.greater, other) }

  /// Returns a filter for objects in which the first attribute is at least the second, and neither
  /// is nil.
  public static func >= (one: Self, other: Self) -> Filter<Root> {
    one.compare(.greaterOrEqual, other)
  }

  /// Returns a filter for objects in which the first attribute is less than the second, and neither
  /// is nil.
  public static func < (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.less, to: other)
  }

  /// Returns a filter for objects in which the first attribute is less than the second, and neither
  /// is nil.
  public static func < (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.less, to: other)
  }

  /// Returns a filter for objects in which the first attribute is at most the second, and neither
  /// is nil.
  public static func <= (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.lessOrEqual, to: other)
  }

  /// Returns a filter for objects in which the first attribute is at most the second, and neither
  /// is nil.
  public static func <= (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.lessOrEqual, to: other)
  }

  /// Returns a filter for objects in which the first attribute is greater than the second, and
  /// neither is nil.
  public static func > (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.greater, to: other)
  }

  /// Returns a filter for objects in which the first attribute is greater than the second, and
  /// neither is nil.
  public static func > (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.greater, to: other)
  }

  /// Returns a filter for objects in which the first attribute is at least the second, and neither
  /// is nil.
  public static func >= (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.greaterOrEqual, to: other)
  }

  /// Returns a filter for objects in which the first attribute is at least the second, and neither
  /// is nil.
  public static func >= (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.greaterOrEqual, to: other)
  }
}
