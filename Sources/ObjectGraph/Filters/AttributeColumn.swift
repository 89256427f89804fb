/// An attribute in a filter or an order, compared with values of its type.
///
/// Values compare as a store compares them: texts by their UTF-8 (so that `é` in one scalar and in
/// two are different), enums by their raw value, dates and numbers by size. A comparison with `<`
/// and the like is false if either side is nil; `==` and `!=` treat nil as a value.
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
  /// Whether the attribute has the value.
  public static func == (column: Self, value: Value) -> Filter<Root> {
    column.compare(.equal, value)
  }

  /// Whether the attribute has another value, or none.
  public static func != (column: Self, value: Value) -> Filter<Root> {
    column.compare(.notEqual, value)
  }

  /// Whether two attributes have the same value, or both none.
  public static func == (one: Self, other: Self) -> Filter<Root> { one.compare(.equal, other) }

  /// Whether two attributes differ.
  public static func != (one: Self, other: Self) -> Filter<Root> { one.compare(.notEqual, other) }

  /// Whether the attribute has one of the values.
  public func isIn(_ values: some Sequence<Value>) -> Filter<Root> {
    Filter(.including(path, values.map(literal)), reach.depth)
  }
}

// An attribute that may be nil, compared with one of the type that may not.

extension AttributeColumn {
  fileprivate func compare<Other>(
    _ comparison: Comparison, to other: AttributeColumn<Root, Other>
  ) -> Filter<Root> {
    Filter(.compareProperties(path, comparison, other.path), reach.depth, other.reach.depth)
  }

  /// Whether the one that may be nil has the value of the other.
  public static func == (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.equal, to: other)
  }

  /// Whether the one that may be nil has the value of the other.
  public static func == (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.equal, to: other)
  }

  /// Whether the one that may be nil is, or has another value.
  public static func != (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.notEqual, to: other)
  }

  /// Whether the one that may be nil is, or has another value.
  public static func != (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.notEqual, to: other)
  }
}

extension AttributeColumn where Value: AttributeValue {

  /// Whether the attribute is less than the value, and neither is nil.
  public static func < (column: Self, value: Value) -> Filter<Root> { column.compare(.less, value) }

  /// Whether the attribute is at most the value, and neither is nil.
  public static func <= (column: Self, value: Value) -> Filter<Root> {
    column.compare(.lessOrEqual, value)
  }

  /// Whether the attribute is greater than the value, and neither is nil.
  public static func > (column: Self, value: Value) -> Filter<Root> {
    column.compare(.greater, value)
  }

  /// Whether the attribute is at least the value, and neither is nil.
  public static func >= (column: Self, value: Value) -> Filter<Root> {
    column.compare(.greaterOrEqual, value)
  }

  /// Whether one attribute is less than the other, and neither is nil.
  public static func < (one: Self, other: Self) -> Filter<Root> { one.compare(.less, other) }

  /// Whether one attribute is at most the other, and neither is nil.
  public static func <= (one: Self, other: Self) -> Filter<Root> {
    one.compare(.lessOrEqual, other)
  }

  /// Whether one attribute is greater than the other, and neither is nil.
  public static func > (one: Self, other: Self) -> Filter<Root> { one.compare(.greater, other) }

  /// Whether one attribute is at least the other, and neither is nil.
  public static func >= (one: Self, other: Self) -> Filter<Root> {
    one.compare(.greaterOrEqual, other)
  }

  /// Whether one attribute is less than the other, and neither is nil.
  public static func < (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.less, to: other)
  }

  /// Whether one attribute is less than the other, and neither is nil.
  public static func < (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.less, to: other)
  }

  /// Whether one attribute is at most the other, and neither is nil.
  public static func <= (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.lessOrEqual, to: other)
  }

  /// Whether one attribute is at most the other, and neither is nil.
  public static func <= (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.lessOrEqual, to: other)
  }

  /// Whether one attribute is greater than the other, and neither is nil.
  public static func > (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.greater, to: other)
  }

  /// Whether one attribute is greater than the other, and neither is nil.
  public static func > (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.greater, to: other)
  }

  /// Whether one attribute is at least the other, and neither is nil.
  public static func >= (one: Self, other: AttributeColumn<Root, Value?>) -> Filter<Root> {
    one.compare(.greaterOrEqual, to: other)
  }

  /// Whether one attribute is at least the other, and neither is nil.
  public static func >= (one: AttributeColumn<Root, Value?>, other: Self) -> Filter<Root> {
    one.compare(.greaterOrEqual, to: other)
  }
}
