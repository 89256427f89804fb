/// A to-many property in a filter: asked for what its objects are like, or how many there are.
public struct ToManyColumn<Root: Entity, Target: Entity> {
  let reach: ColumnReach
  package let path: ToManyPath

  init(from reach: ColumnReach, name: String) {
    self.reach = reach
    path = ToManyPath(relations: reach.relations, name: name)
  }

  /// Whether at least one of the objects meets the condition.
  public func contains(
    where filter: (Columns<Target>) -> Filter<Target>
  ) -> Filter<Root> {
    close(filter) { .any(path, $0) }
  }

  /// Whether all objects meet the condition; true if there are none.
  public func allSatisfy(
    _ filter: (Columns<Target>) -> Filter<Target>
  ) -> Filter<Root> {
    close(filter) { .all(path, $0) }
  }

  /// Whether there are no objects.
  public var isEmpty: Filter<Root> { Filter(.not(.any(path, .constant(true))), reach.depth) }

  /// The number of objects.
  public var count: CountColumn<Root> { CountColumn(reach: reach, path: path) }

  private func close(
    _ filter: (Columns<Target>) -> Filter<Target>, _ make: (Condition) -> Condition
  ) -> Filter<Root> {
    let depth = reach.depth + 1
    let inner = filter(Columns(depth: depth)).condition(at: depth)
    // A filter beyond a limit stays the error that it is.
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

  /// Whether there are so many objects.
  public static func == (column: Self, count: Int) -> Filter<Root> { column.compare(.equal, count) }

  /// Whether there are not just so many objects.
  public static func != (column: Self, count: Int) -> Filter<Root> {
    column.compare(.notEqual, count)
  }

  /// Whether there are fewer objects.
  public static func < (column: Self, count: Int) -> Filter<Root> { column.compare(.less, count) }

  /// Whether there are at most so many objects.
  public static func <= (column: Self, count: Int) -> Filter<Root> {
    column.compare(.lessOrEqual, count)
  }

  /// Whether there are more objects.
  public static func > (column: Self, count: Int) -> Filter<Root> {
    column.compare(.greater, count)
  }

  /// Whether there are at least so many objects.
  public static func >= (column: Self, count: Int) -> Filter<Root> {
    column.compare(.greaterOrEqual, count)
  }
}
