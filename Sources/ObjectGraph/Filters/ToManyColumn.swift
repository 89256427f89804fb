/// A to-many property in a filter. The filter can test the related objects or their number.
public struct ToManyColumn<Root: Entity, Target: Entity> {
  let reach: ColumnReach
  package let path: ToManyPath

  init(from reach: ColumnReach, name: String) {
    self.reach = reach
    path = ToManyPath(relations: reach.relations, name: name)
  }

  /// Returns a filter for objects with at least one related object that matches the given filter.
  public func contains(
    where filter: (Columns<Target>) -> Filter<Target>
  ) -> Filter<Root> {
    close(filter) { .any(path, $0) }
  }

  /// Returns a filter for objects whose related objects all match the given filter. Objects without
  /// related objects are included.
  public func allSatisfy(
    _ filter: (Columns<Target>) -> Filter<Target>
  ) -> Filter<Root> {
    close(filter) { .all(path, $0) }
  }

  /// A filter for objects that have no related objects.
  public var isEmpty: Filter<Root> { Filter(.not(.any(path, .constant(true))), reach.depth) }

  /// The number of related objects.
  public var count: CountColumn<Root> { CountColumn(reach: reach, path: path) }

  private func close(
    _ filter: (Columns<Target>) -> Filter<Target>, _ make: (Condition) -> Condition
  ) -> Filter<Root> {
    let depth = reach.depth + 1
    let inner = filter(Columns(depth: depth)).condition(at: depth)
    // A filter that exceeds a limit is kept as it is, so that the fetch throws.
    if case .leaf(.excess) = inner.node.kind { return Filter(inner, reach.depth) }
    return Filter(make(inner), reach.depth)
  }
}

/// The number of objects of a to-many property, in a filter.
public struct CountColumn<Root: Entity> {
  let reach: ColumnReach
  let path: ToManyPath

  private func compare(_ comparison: Comparison, _ count: Int) -> Filter<Root> {
    Filter(.count(path, comparison, count), reach.depth)
  }

  /// Returns a filter for objects with exactly the given number of related objects.
  public static func == (column: Self, count: Int) -> Filter<Root> { column.compare(.equal, count) }

  /// Returns a filter for objects whose number of related objects is not the given number.
  public static func != (column: Self, count: Int) -> Filter<Root> {
    column.compare(.notEqual, count)
  }

  /// Returns a filter for objects with fewer related objects than the given number.
  public static func < (column: Self, count: Int) -> Filter<Root> { column.compare(.less, count) }

  /// Returns a filter for objects with at most the given number of related objects.
  public static func <= (column: Self, count: Int) -> Filter<Root> {
    column.compare(.lessOrEqual, count)
  }

  /// Returns a filter for objects with more related objects than the given number.
  public static func > (column: Self, count: Int) -> Filter<Root> {
    column.compare(.greater, count)
  }

  /// Returns a filter for objects with at least the given number of related objects.
  public static func >= (column: Self, count: Int) -> Filter<Root> {
    column.compare(.greaterOrEqual, count)
  }
}

extension AttributeColumn {
  /// Explains in a compiler error that an attribute has no objects.
  ///
  /// Without this function, the compiler would report a wrong name inside the closure of a to-many
  /// property as a mistake in the use of the property.
  @available(*, unavailable, message: "only a to-many property has objects to test")
  public func allSatisfy(_ filter: (Columns<Root>) -> Filter<Root>) -> Filter<Root> { .all() }
}
