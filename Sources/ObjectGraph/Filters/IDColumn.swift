/// The id of the filtered object, or of an object to which it refers, as in `$0.deck.id`. Filters
/// can compare the id with references and objects, and orders can sort by it.
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
  /// Returns a filter for objects whose id equals the id in the reference.
  public static func == (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.equal, value.key)
  }

  /// Returns a filter for objects whose id differs from the id in the reference.
  public static func != (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.notEqual, value.key)
  }

  /// Returns a filter for objects whose id is lower than the id in the reference. An object with a
  /// lower id is older.
  public static func < (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.less, value.key)
  }

  /// Returns a filter for objects whose id is at most the id in the reference. An object with a
  /// lower id is older.
  public static func <= (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.lessOrEqual, value.key)
  }

  /// Returns a filter for objects whose id is higher than the id in the reference. An object with a
  /// higher id is younger.
  public static func > (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.greater, value.key)
  }

  /// Returns a filter for objects whose id is at least the id in the reference. An object with a
  /// higher id is younger.
  public static func >= (column: Self, value: Ref<Target>) -> Filter<Root> {
    column.compare(.greaterOrEqual, value.key)
  }

  /// Returns a filter for objects whose id equals the id in one of the references.
  ///
  /// - Complexity: O(*n*) for *n* references.
  public func isIn(_ values: some Sequence<Ref<Target>>) -> Filter<Root> {
    Filter(.including(path, values.map { .integer($0.key) }), reach.depth)
  }
}

extension IDColumn {
  /// Returns a filter for objects whose id equals the id of the given object.
  public static func == (column: Self, object: Object<Target>) -> Filter<Root> {
    column.compare(.equal, object.key)
  }

  /// Returns a filter for objects whose id differs from the id of the given object.
  public static func != (column: Self, object: Object<Target>) -> Filter<Root> {
    column.compare(.notEqual, object.key)
  }

  /// Returns a filter for objects whose id equals the id of one of the given objects.
  ///
  /// - Complexity: O(*n*) for *n* objects.
  public func isIn(_ objects: some Sequence<Object<Target>>) -> Filter<Root> {
    isIn(objects.map(\.id))
  }
}
