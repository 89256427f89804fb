/// A to-one property in a filter: compared as a whole, or asked for the columns behind it.
///
/// The columns of an object that is not there are all nil.
public struct ToOneColumn<Root: Entity, Target: Entity>: RowColumns {
  /// The relations up to and with this one.
  public let reach: ColumnReach
  package let path: PropertyPath

  init(from reach: ColumnReach, name: String) {
    path = reach.property(name)
    self.reach = ColumnReach(relations: reach.relations + [name], depth: reach.depth)
  }

  func compare(_ comparison: Comparison, _ key: Int64?) -> Filter<Root> {
    Filter(.compare(path, comparison, key.map { .integer($0) } ?? .null), reach.depth)
  }
}

extension ToOneColumn {
  /// Whether the property refers to this object; to none, if it is nil.
  public static func == (column: Self, value: Ref<Target>?) -> Filter<Root> {
    column.compare(.equal, value?.key)
  }

  /// Whether the property refers to another object, or to none; to any, if it is nil.
  public static func != (column: Self, value: Ref<Target>?) -> Filter<Root> {
    column.compare(.notEqual, value?.key)
  }

  /// Whether two properties refer to the same object, or both to none.
  public static func == (one: Self, other: Self) -> Filter<Root> {
    Filter(.compareProperties(one.path, .equal, other.path), one.reach.depth, other.reach.depth)
  }

  /// Whether two properties refer to different objects.
  public static func != (one: Self, other: Self) -> Filter<Root> {
    Filter(.compareProperties(one.path, .notEqual, other.path), one.reach.depth, other.reach.depth)
  }

  /// Whether the property refers to one of these objects.
  public func isIn(_ values: some Sequence<Ref<Target>>) -> Filter<Root> {
    Filter(.including(path, values.map { .integer($0.key) }), reach.depth)
  }
}

extension ToOneColumn {
  /// Whether the property refers to this object; to none, if it is nil.
  @_disfavoredOverload
  public static func == (column: Self, object: Object<Target>?) -> Filter<Root> {
    column.compare(.equal, object?.key)
  }

  /// Whether the property refers to another object, or to none; to any, if it is nil.
  @_disfavoredOverload
  public static func != (column: Self, object: Object<Target>?) -> Filter<Root> {
    column.compare(.notEqual, object?.key)
  }

  /// Whether the property refers to one of these objects.
  public func isIn(_ objects: some Sequence<Object<Target>>) -> Filter<Root> {
    isIn(objects.map(\.id))
  }
}
