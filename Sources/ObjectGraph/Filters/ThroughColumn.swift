/// A many-to-many property in a filter. The filter can test the objects behind the links, or their
/// number.
public struct ThroughColumn<Root: Entity, Link: Entity, Target: Entity> {
  private let links: ToManyColumn<Root, Link>
  /// The name of the link's property that leads to the target.
  private let target: String

  init<Owner: Entity>(from reach: ColumnReach, _ path: KeyPath<Owner, Through<Link, Target>>) {
    links = ToManyColumn(from: reach, name: Owner.toMany(at: path))
    let columns = Owner()[keyPath: path].columns
    target = columns.map { Link.layout.columns[$0.target].name } ?? "\(path)"
  }

  /// Returns a filter for objects with at least one related object that matches the given filter.
  public func contains(
    where filter: (ToOneColumn<Link, Target>) -> Filter<Link>
  ) -> Filter<Root> {
    links.contains { filter(ToOneColumn(from: $0.reach, name: target)) }
  }

  /// Returns a filter for objects whose related objects all match the given filter. Objects without
  /// related objects are included.
  public func allSatisfy(
    _ filter: (ToOneColumn<Link, Target>) -> Filter<Link>
  ) -> Filter<Root> {
    links.allSatisfy { filter(ToOneColumn(from: $0.reach, name: target)) }
  }

  /// A filter for objects that have no links.
  public var isEmpty: Filter<Root> { links.isEmpty }

  /// The number of links.
  public var count: CountColumn<Root> { links.count }

  /// The links and their targets, as paths of relations.
  var paths: [[String]] {
    let path = links.reach.relations + [links.path.name]
    return [path, path + [target]]
  }
}
