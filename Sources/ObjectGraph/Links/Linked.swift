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
    let attempted = "follow a relation of \(owner.layout.name)"
    let found = try pairs(
      of: owner.key, entity(Link.self, to: attempted), columns,
      entity(Target.self, to: attempted))
    return Linked(
      links: found.links.typed(Link.self), targets: found.targets.typed(Target.self),
      owner: owner, through: through)
  }

  /// Returns the links of an owner in their order, each with its target.
  ///
  /// The function is not generic, because the loops over many objects are then three times as fast
  /// (benchmark `links`).
  private func pairs(
    of owner: Int64, _ entity: Int, _ columns: LinkColumns, _ target: Int
  ) throws -> (links: [GraphObject], targets: [GraphObject]) {
    noteRead(entity)
    noteRead(target)
    // This read ignores cancellation. It serves a property, which cannot throw, and a cancelled read
    // would look like an empty relation.
    return try readingToEnd {
      try keepingMoment {
        let links = try members(entity, columns.owner, of: owner)
        guard !links.isEmpty else { return ([], []) }
        let field = model.layouts[entity].columns[columns.target].field
        let keys = links.map { $0.withMemory { field.target(in: $0) } }
        // The objects live until they are found below.
        let found = try graphObjects(
          Query(entity: target, "id", isIn: keys.compactMap(\.self)))
        return withExtendedLifetime(found) {
          ordered(links, by: columns.order, keys, table(target))
        }
      }
    }
  }

  private func ordered(
    _ links: [GraphObject], by order: Int?, _ keys: [Int64?], _ table: AnyTable
  ) -> (links: [GraphObject], targets: [GraphObject]) {
    var places = Array(links.indices)
    if let order {
      let field = links[0].layout.columns[order].field
      let positions = links.map { $0.position(in: field) }
      // The links are in the order of their ids, which break ties.
      places.sort { (positions[$0], $0) < (positions[$1], $1) }
    }
    var result: (links: [GraphObject], targets: [GraphObject]) = ([], [])
    result.links.reserveCapacity(links.count)
    result.targets.reserveCapacity(links.count)
    for place in places {
      guard let target = keys[place].flatMap(table.object), !target.isDeleted else { continue }
      result.links.append(links[place])
      result.targets.append(target)
    }
    return result
  }
}

extension GraphObject {
  /// Returns the integer in a column that keeps an `Int`.
  func position(in column: Int) -> Int { position(in: layout.columns[column].field) }

  @inline(__always)
  fileprivate func position(in field: Field) -> Int {
    guard case .integer(let position)? = try? withMemory({ try field.stored(of: $0) }) else {
      return 0
    }
    return Int(position)
  }
}
