/// A to-one property in a filter. A filter can compare the property itself, or the columns of the
/// object to which it refers.
///
/// If the property refers to no object, these columns are all nil.
public struct ToOneColumn<Root: Entity, Target: Entity>: RowColumns {
  /// The relations from the filtered object to the object to which this property refers. The last
  /// relation is this property.
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
  /// Returns a filter for objects whose property refers to the given object. If `value` is nil,
  /// returns a filter for objects whose property is nil.
  public static func == (column: Self, value: Ref<Target>?) -> Filter<Root> {
    column.compare(.equal, value?.key)
  }

  /// Returns a filter for objects whose property does not refer to the given object. If `value` is
  /// nil, returns a filter for objects whose property is not nil.
  public static func != (column: Self, value: Ref<Target>?) -> Filter<Root> {
    column.compare(.notEqual, value?.key)
  }

  /// Returns a filter for objects in which two properties refer to the same object, or are both
  /// nil.
  public static func == (one: Self, other: Self) -> Filter<Root> {
    Filter(.compareProperties(one.path, .equal, other.path), one.reach.depth, other.reach.depth)
  }

  /// Returns a filter for objects in which two properties refer to different objects, or only one
  /// of them is nil.
  public static func != (one: Self, other: Self) -> Filter<Root> {
    Filter(.compareProperties(one.path, .notEqual, other.path), one.reach.depth, other.reach.depth)
  }

  /// Returns a filter for objects whose property refers to one of the given objects.
  ///
  /// - Complexity: O(*n*) for *n* references.
  public func isIn(_ values: some Sequence<Ref<Target>>) -> Filter<Root> {
    Filter(.including(path, values.map { .integer($0.key) }), reach.depth)
  }
}

extension ToOneColumn {
  /// Returns a filter for objects whose property refers to the given object. If `object` is nil,
  /// returns a filter for objects whose property is nil.
  @_disfavoredOverload
  public static func == (column: Self, object: Object<Target>?) -> Filter<Root> {
    column.compare(.equal, object?.key)
  }

  /// Returns a filter for objects whose property does not refer to the given object. If `object` is
  /// nil, returns a filter for objects whose property is not nil.
  @_disfavoredOverload
  public static func != (column: Self, object: Object<Target>?) -> Filter<Root> {
    column.compare(.notEqual, object?.key)
  }

  /// Returns a filter for objects whose property refers to one of the given objects.
  ///
  /// - Complexity: O(*n*) for *n* objects.
  public func isIn(_ objects: some Sequence<Object<Target>>) -> Filter<Root> {
    isIn(objects.map(\.id))
  }
}
