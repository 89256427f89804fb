/// What objects must be like to be fetched.
///
/// ```swift
/// let due = Filter<Card> { $0.rightCount < 3 && $0.deck != nil }
/// ```
///
/// It is a value: it can be kept, combined with others, and used by any context and task. What may
/// be combined is limited; a fetch with more throws ``GraphError/Reason/tooLarge(_:)``.
public struct Filter<Root: Entity>: Hashable, Sendable {
  package let condition: Condition
  /// How many to-many closures surround the objects whose columns it names; nil if it stands for
  /// itself.
  private let depth: Int?

  /// What the closure says of the columns.
  public init(_ filter: (Columns<Root>) -> Filter<Root>) {
    condition = filter(Columns()).condition(at: 0)
    depth = nil
  }

  package init(_ condition: Condition) {
    self.condition = condition
    depth = nil
  }

  /// A condition about columns of these depths.
  init(_ condition: Condition, _ depths: Int?...) {
    let depths = Set(depths.compactMap(\.self))
    // Columns of an outer object in the closure of an inner one of the same entity: no condition
    // says that, so this one names a property that no schema has, and the fetch tells.
    self.condition = depths.count < 2 ? condition.limited : .misplaced
    depth = depths.max()
  }

  /// The condition, where columns of this depth are expected.
  func condition(at expected: Int) -> Condition {
    depth == nil || depth == expected ? condition : .misplaced
  }

  /// All objects, or none.
  public static func all(_ isAll: Bool = true) -> Filter { Filter(.constant(isAll)) }

  /// Both must be met.
  ///
  /// - Complexity: O(1); the filters are shared, not copied.
  public static func && (one: Filter, other: Filter) -> Filter { one.and(other) }

  /// One or the other must be met, or both.
  ///
  /// - Complexity: O(1); the filters are shared, not copied.
  public static func || (one: Filter, other: Filter) -> Filter { one.or(other) }

  /// The opposite: each object is in either the one or the other.
  public static prefix func ! (filter: Filter) -> Filter { filter.opposite }
}

extension Filter {
  func and(_ other: Filter) -> Filter { joined(other) { .and([$0, $1]) } }

  func or(_ other: Filter) -> Filter { joined(other) { .or([$0, $1]) } }

  private func joined(
    _ other: Filter, _ join: (Condition, Condition) -> Condition
  ) -> Filter {
    // A filter beyond a limit stays the error that it is.
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
