/// The id of an object in a filter or an order. It can be compared with references and objects.
///
/// Ids grow with the time at which objects are created, so an object with a lower id is older.
public struct IDColumn<Root: Entity, Target: Entity> {
  let reach: ColumnReach
  package var path: PropertyPath { reach.property("id") }

  func compare(_ comparison: Comparison, _ key: Int64) -> Filter<Root> {
    Filter(.compare(path, comparison, .integer(key)), reach.depth)
  }
}

extension IDColumn {
  /// Returns a filter for the object to which the reference points.
  public static func == (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.equal, value.key)
  }

  /// Returns a filter for all objects except the one to which the reference points.
  public static func != (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.notEqual, value.key)
  }

  /// Returns a filter for objects that are older than the one to which the reference points.
  public static func < (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.less, value.key)
  }

  /// Returns a filter for the object to which the reference points and for older objects.
  public static func <= (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.lessOrEqual, value.key)
  }

  /// Returns a filter for objects that are younger than the one to which the reference points.
  public static func > (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.greater, value.key)
  }

  /// Returns a filter for the object to which the reference points and for younger objects.
  public static func >= (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.greaterOrEqual, value.key)
  }

  /// Returns a filter for the objects to which the references point.
  ///
  /// - Complexity: O(*n*) for *n* references.
  public func isIn(_ values: some Sequence<Ref<Target>>) -> Filter<Root> {
    Filter(.including(path, values.map { .integer($0.key) }), reach.depth)
  }
}

extension IDColumn {
  /// Returns a filter for the given object.
  public static func == (column: Self, object: Object<Target>) -> Filter<Root> {
    column.compare(.equal, object.key)
  }

  /// Returns a filter for all objects except the given one.
  public static func != (column: Self, object: Object<Target>) -> Filter<Root> {
    column.compare(.notEqual, object.key)
  }

  /// Returns a filter for the given objects.
  ///
  /// - Complexity: O(*n*) for *n* objects.
  public func isIn(_ objects: some Sequence<Object<Target>>) -> Filter<Root> {
    isIn(objects.map(\.id))
  }
}
