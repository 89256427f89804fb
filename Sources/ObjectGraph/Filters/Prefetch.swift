/// The relations that a fetch reads along with its objects, so that following them costs nothing.
///
/// ```swift
/// FetchRequest<Card>(prefetch: { $0.deck; $0.deck.owner })
/// ```
public struct Prefetch<Root: Entity>: Hashable, Sendable {
  /// Each as the names of relations from the fetched object on.
  package let paths: [[String]]

  package init(paths: [[String]]) { self.paths = paths }

  /// Nothing but the objects themselves.
  public init() { paths = [] }
}

/// Collects the relations to read along.
@resultBuilder
public enum PrefetchBuilder<Root: Entity> {
  /// The object of a to-one property.
  public static func buildExpression<Target>(
    _ column: ToOneColumn<Root, Target>
  ) -> Prefetch<Root> {
    Prefetch(paths: [column.reach.relations])
  }
  /// The objects of a to-many property.
  public static func buildExpression<Target>(
    _ column: ToManyColumn<Root, Target>
  ) -> Prefetch<Root> {
    Prefetch(paths: [column.reach.relations + [column.path.name]])
  }
  /// One after the other.
  public static func buildBlock(_ parts: Prefetch<Root>...) -> Prefetch<Root> {
    Prefetch(paths: parts.flatMap(\.paths))
  }
}
