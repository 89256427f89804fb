/// The objects of a many-to-many property, in the order of its links.
///
/// ```swift
/// try deck.cards.insert(card, at: 1).note = "new"  // the link is at hand
/// try deck.cards.move(from: 3, to: 0)
/// for card in deck.cards { print(card.question) }
/// ```
///
/// The value is a snapshot: after an edit, read the property again. Links without a target, and links
/// to a deleted one, are left out. Each call that edits is one operation, and one step of undo.
///
/// To show the objects on a screen, use a ``LiveList`` of the links, with the targets prefetched:
///
/// ```swift
/// let request = FetchRequest<Membership>(
///   where: { $0.deck == deck }, sort: { $0.position }, prefetch: { $0.card })
/// ```
public struct Linked<Link: Entity, Target: Entity>: RandomAccessCollection {
  /// The links, in order.
  public let links: [Object<Link>]
  let targets: [Object<Target>]
  let owner: GraphObject
  let through: Through<Link, Target>

  /// The position of the first object, which is zero.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { links.count }

  /// The object at a position. The link at the same position leads to it.
  public subscript(position: Int) -> Object<Target> { targets[position] }
}

extension Object {
  /// The objects of a many-to-many property, including those of unsaved links.
  ///
  /// If this object is in no context, the property has no objects.
  ///
  /// - Complexity: Two queries of the store, one for the links and one for their targets.
  public subscript<Link: Entity, Target: Entity>(
    dynamicMember path: KeyPath<Value, Through<Link, Target>>
  ) -> Linked<Link, Target> {
    let through = storage[keyPath: path]
    let nothing = Linked(links: [], targets: [], owner: self, through: through)
    guard let columns = through.columns, let context else { return nothing }
    do {
      return try context.linked(through, columns, of: self)
    } catch {
      report(error)
      return nothing
    }
  }
}

extension ObjectContext {
  fileprivate func linked<Link: Entity, Target: Entity>(
    _ through: Through<Link, Target>, _ columns: LinkColumns, of owner: GraphObject
  ) throws -> Linked<Link, Target> {
    // This read ignores cancellation. It serves a property, which cannot throw, and a cancelled read
    // would look like an empty relation.
    try readingToEnd {
      try keepingMoment {
        var links = try members(Link.self, column: columns.owner, of: owner.key)
        if let order = columns.order {
          // Ids, by which the links are in order, break ties.
          let ranked = links.map { (link: $0, position: $0.position(in: order)) }
          links = ranked.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
          }.map(\.element.link)
        }
        var objects: [Int64: Object<Target>] = [:]
        for target in try targets(of: links, columns.target, Target.self) {
          objects[target.key] = target
        }
        let pairs = links.compactMap { link in
          link.target(of: columns.target).flatMap { objects[$0] }.map { (link, $0) }
        }
        return Linked(
          links: pairs.map(\.0), targets: pairs.map(\.1), owner: owner, through: through)
      }
    }
  }

  private func targets<Target: Entity>(
    of links: [GraphObject], _ column: Int, _: Target.Type
  ) throws -> [Object<Target>] {
    let keys = Set(links.compactMap { $0.target(of: column) })
    let entity = try entity(Target.self, to: "follow a relation to \(Target.layout.name)")
    noteRead(entity)
    guard !keys.isEmpty else { return [] }
    return try graphObjects(Query(entity: entity, "id", isIn: keys.sorted())).typed(Target.self)
  }
}

extension GraphObject {
  /// Returns the integer in a column that keeps an `Int`.
  func position(in column: Int) -> Int {
    guard
      case .integer(let position)? = try? withValue({ try layout.columns[column].stored(of: $0) })
    else { return 0 }
    return Int(position)
  }
}
