/// An object's own id in a filter or an order, compared with references and objects.
public struct IDColumn<Root: Entity, Target: Entity> {
  let reach: ColumnReach
  package var path: PropertyPath { reach.property("id") }

  func compare(_ comparison: Comparison, _ key: Int64) -> Filter<Root> {
    Filter(.compare(path, comparison, .integer(key)), reach.depth)
  }
}

extension IDColumn {
  /// Whether it is this object.
  public static func == (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.equal, value.key)
  }

  /// Whether it is another object.
  public static func != (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.notEqual, value.key)
  }

  /// Whether it is an older object.
  public static func < (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.less, value.key)
  }

  /// Whether it is this object or an older one.
  public static func <= (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.lessOrEqual, value.key)
  }

  /// Whether it is a younger object.
  public static func > (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.greater, value.key)
  }

  /// Whether it is this object or a younger one.
  public static func >= (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.greaterOrEqual, value.key)
  }

  /// Whether it is one of these objects.
  public func isIn(_ values: some Sequence<Ref<Target>>) -> Filter<Root> {
    Filter(.including(path, values.map { .integer($0.key) }), reach.depth)
  }
}

extension IDColumn {
  /// Whether it is this object.
  public static func == (column: Self, object: Object<Target>) -> Filter<Root> {
    column.compare(.equal, object.key)
  }

  /// Whether it is another object.
  public static func != (column: Self, object: Object<Target>) -> Filter<Root> {
    column.compare(.notEqual, object.key)
  }

  /// Whether it is one of these objects.
  public func isIn(_ objects: some Sequence<Object<Target>>) -> Filter<Root> {
    isIn(objects.map(\.id))
  }
}
