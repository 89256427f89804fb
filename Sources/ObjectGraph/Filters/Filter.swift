/// A condition that selects the objects to fetch.
///
/// ```swift
/// let due = Filter<Card> { $0.rightCount < 3 && $0.deck != nil }
/// ```
///
/// A filter is a value: it can be kept, combined with other filters, and used by any context and
/// task. Its size is limited. A fetch with a filter that is too large throws
/// ``GraphError/Reason/tooLarge(_:)``.
public struct Filter<Root: Entity>: Hashable, Sendable {
  package let condition: Condition
  /// The number of to-many closures that enclose the use of the filter's columns; nil if the filter
  /// can be used inside any number of closures.
  private let depth: Int?

  /// Creates a filter from a closure over the columns of an entity.
  public init(_ filter: (Columns<Root>) -> Filter<Root>) {
    condition = filter(Columns()).condition(at: 0)
    depth = nil
  }

  package init(_ condition: Condition) {
    self.condition = condition
    depth = nil
  }

  /// Creates a filter from a condition. The depths are the numbers of to-many closures around the
  /// columns of the condition's parts.
  init(_ condition: Condition, _ depths: Int?...) {
    let depths = Set(depths.compactMap(\.self))
    // The compiler lets the closure of a to-many property use columns of an outer object, if both
    // objects are of the same entity. No condition can express such a use. `misplaced` names a
    // property that no schema has, so the fetch throws.
    self.condition = depths.count < 2 ? condition.limited : .misplaced
    depth = depths.max()
  }

  /// Returns the condition if its columns belong to the closure at the given depth. Otherwise,
  /// returns a condition that every fetch refuses.
  func condition(at expected: Int) -> Condition {
    depth == nil || depth == expected ? condition : .misplaced
  }

  /// Returns a filter that matches all objects, or no object if `isAll` is false.
  public static func all(_ isAll: Bool = true) -> Filter { Filter(.constant(isAll)) }

  /// Returns a filter for objects that match both filters.
  ///
  /// - Complexity: O(1); the filters are shared, not copied.
  public static func && (one: Filter, other: Filter) -> Filter { one.and(other) }

  /// Returns a filter for objects that match at least one of the filters.
  ///
  /// - Complexity: O(1); the filters are shared, not copied.
  public static func || (one: Filter, other: Filter) -> Filter { one.or(other) }

  /// Returns a filter for all objects that do not match the given filter.
  public static prefix func ! (filter: Filter) -> Filter { filter.opposite }
}

extension Filter {
  func and(_ other: Filter) -> Filter { joined(other) { .and([$0, $1]) } }

  func or(_ other: Filter) -> Filter { joined(other) { .or([$0, $1]) } }

  private func joined(
    _ other: Filter, _ join: (Condition, Condition) -> Condition
  ) -> Filter {
    // A filter that exceeds a limit is kept as it is, so that the fetch throws.
    for side in [self, other] {
      if case .leaf(.excess) = side.condition.node.kind { return side }
    }
    return Filter(join(condition, other.condition), depth, other.depth)
  }

  var opposite: Filter {
    switch condition.node.kind {
    case .leaf(.excess): self
    case .not: Filter(Condition(condition.node.parts[0]), depth)
    default: Filter(.not(condition), depth)
    }
  }
}
