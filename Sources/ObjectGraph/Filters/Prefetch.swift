/// The relations whose objects a fetch also reads, so that a later access to these objects reads
/// nothing.
///
/// ```swift
/// FetchRequest<Card>(prefetch: { $0.deck; $0.deck.owner })
/// ```
public struct Prefetch<Root: Entity>: Hashable, Sendable {
  /// The paths of relations. Each path has the names of the relations, beginning at the fetched
  /// object.
  package let paths: [[String]]

  package init(paths: [[String]]) { self.paths = paths }

  /// Creates a value without relations. A fetch then reads only the objects themselves.
  public init() { paths = [] }
}

extension Prefetch {
  /// The limit that the paths exceed; nil if they are within all limits. A common beginning of
  /// several paths counts once.
  var exceeded: RequestLimit? {
    do throws(RequestLimit) {
      _ = try steps
      return nil
    } catch {
      return error
    }
  }

  /// All paths and all beginnings of paths, each once. Each path comes after its beginnings.
  var steps: [[String]] {
    get throws(RequestLimit) {
      var paths: Set<[String]> = []
      var known: Set<[String]> = []
      var steps: [[String]] = []
      for path in self.paths where paths.insert(path).inserted {
        guard path.count <= RequestLimit.relations.most else { throw .relations }
        for count in path.indices {
          let beginning = Array(path[...count])
          if known.insert(beginning).inserted { steps.append(beginning) }
        }
        guard steps.count <= RequestLimit.prefetches.most else { throw .prefetches }
      }
      return steps
    }
  }
}

/// A result builder that collects relations whose objects a fetch also reads.
@resultBuilder
public enum PrefetchBuilder<Root: Entity> {
  /// Returns the path to the object of a to-one property.
  public static func buildExpression<Target>(
    _ column: ToOneColumn<Root, Target>
  ) -> Prefetch<Root> {
    Prefetch(paths: [column.reach.relations])
  }
  /// Returns the path to the objects of a to-many property.
  public static func buildExpression<Target>(
    _ column: ToManyColumn<Root, Target>
  ) -> Prefetch<Root> {
    Prefetch(paths: [column.reach.relations + [column.path.name]])
  }
  /// Returns the paths to the links of a many-to-many property and to its objects.
  public static func buildExpression<Link, Target>(
    _ column: ThroughColumn<Root, Link, Target>
  ) -> Prefetch<Root> {
    Prefetch(paths: column.paths)
  }
  /// Returns the paths of all parts.
  public static func buildBlock(_ parts: Prefetch<Root>...) -> Prefetch<Root> {
    Prefetch(paths: parts.flatMap(\.paths))
  }
}
