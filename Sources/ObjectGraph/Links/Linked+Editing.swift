extension Linked {
  /// Links an object, so that it comes after all others.
  ///
  /// - Returns: The link. If a `Unique` over its two ends forbids a second link to the object, the
  ///   oldest one is moved and returned.
  /// - Throws: As for ``insert(_:at:)``, but links without an order of their own are no fault.
  @discardableResult
  public func append(_ target: Object<Target>) throws -> Object<Link> {
    try link(target, at: nil, "append \(target.reference)")
  }

  /// Links an object, so that it is at a position. The others keep their order.
  ///
  /// - Returns: The link. If a `Unique` over its two ends forbids a second link to the object, the
  ///   oldest one is moved and returned.
  /// - Throws: An error if the links have no order of their own, if the owner is in no context, or if
  ///   the object is in another context. A disconnected object is inserted.
  /// - Complexity: Without room between two positions, the positions of some neighbours change, too.
  @discardableResult
  public func insert(_ target: Object<Target>, at index: Int) throws -> Object<Link> {
    precondition((0...count).contains(index), "The index of an insertion is not in 0...count.")
    return try link(target, at: index, "insert \(target.reference)")
  }

  /// Moves an object, so that it is at another position. The others keep their order.
  ///
  /// - Throws: An error if the links have no order of their own, or if the link was deleted.
  /// - Complexity: Without room between two positions, the positions of some neighbours change, too.
  public func move(from index: Int, to end: Int) throws {
    precondition(indices.contains(index), "The index of a move is not in 0..<count.")
    precondition(indices.contains(end), "The end of a move is not in 0..<count.")
    let attempted = "move \(targets[index].reference)"
    let (context, columns) = try place(attempted)
    let order = try order(columns, attempted)
    if links[index].isDeleted {
      throw context.named(GraphError(attempted, .deleted(links[index].reference)))
    }
    if index != end { try context.group { try move(index, to: end, order) } }
  }

  /// Deletes the link at a position, and not its object.
  ///
  /// - Throws: The reason why the link cannot be deleted.
  public func remove(at index: Int) throws {
    precondition(indices.contains(index), "The index of a removal is not in 0..<count.")
    try place("remove \(targets[index].reference)").context.delete(links[index])
  }

  /// Deletes all links to an object, and not the object.
  ///
  /// - Throws: The reason why a link cannot be deleted.
  public func remove(_ target: Object<Target>) throws {
    let context = try place("remove \(target.reference)").context
    try context.delete(zip(links, targets).filter { $1 === target }.map(\.0))
  }

  private func place(
    _ attempted: String
  ) throws -> (context: ObjectContext, columns: LinkColumns) {
    guard let context = owner.context, let columns = through.columns else {
      throw GraphError(attempted, .disconnected(owner.reference))
    }
    if owner.isDeleted { throw context.named(GraphError(attempted, .deleted(owner.reference))) }
    return (context, columns)
  }

  private func order(_ columns: LinkColumns, _ attempted: String) throws -> Int {
    if let order = columns.order { return order }
    let advice = "its links have no order of their own; declare it as Through(…, order: …)"
    throw GraphError(attempted, .other(advice))
  }

  private func link(
    _ target: Object<Target>, at index: Int?, _ attempted: String
  ) throws -> Object<Link> {
    let (context, columns) = try place(attempted)
    let order = index == nil ? columns.order : try order(columns, attempted)
    return try context.group {
      if target.context == nil { try context.insert(target) }
      guard target.context === context else {
        throw context.named(GraphError(attempted, .otherContext))
      }
      if let known = try context.link(Link.self, from: owner, to: target, columns) {
        let place = links.firstIndex { $0 === known }
        if let order, let place { try move(place, to: Swift.min(index ?? count, count - 1), order) }
        return known
      }
      var value = Link()
      StructMemory.lend(&value) {
        Link.layout.columns[columns.owner].field.setTarget(owner.key, in: $0)
        Link.layout.columns[columns.target].field.setTarget(target.key, in: $0)
      }
      let link = Object(value)
      if let order {
        let position = try makeRoom(at: index ?? count, among: links, order)
        try link.setPosition(in: order, to: position)
      }
      try context.insert(link)
      return link
    }
  }

  private func move(_ index: Int, to end: Int, _ order: Int) throws {
    var others = links
    let link = others.remove(at: index)
    try link.setPosition(in: order, to: makeRoom(at: end, among: others, order))
  }

  /// Returns a position between two links. Changes the positions of neighbours if there is none.
  private func makeRoom(at index: Int, among links: [Object<Link>], _ order: Int) throws -> Int {
    let place = SparseOrder.place(at: index, in: links.map { $0.position(in: order) })
    for (index, position) in place.others {
      try links[index].setPosition(in: order, to: position)
    }
    return place.position
  }
}

extension GraphObject {
  fileprivate func setPosition(in column: Int, to position: Int) throws {
    guard self.position(in: column) != position else { return }
    try permitChange()
    try withMemory {
      try layout.columns[column].set(.integer(Int64(position)), in: $0, structSize: layout.size)
    }
    didChange()
  }
}

extension ObjectContext {
  /// Returns the oldest link between two objects if a rule allows only one; otherwise nil.
  fileprivate func link<Link: Entity>(
    _: Link.Type, from owner: GraphObject, to target: GraphObject, _ columns: LinkColumns
  ) throws -> Object<Link>? {
    let layout = Link.layout
    let isUnique = layout.uniqueRules.contains {
      $0.columns.count == 2 && Set($0.columns) == [columns.owner, columns.target]
    }
    guard isUnique else { return nil }
    let condition = Condition.and([
      .compare(PropertyPath(name: layout.columns[columns.owner].name), .equal, .integer(owner.key)),
      .compare(
        PropertyPath(name: layout.columns[columns.target].name), .equal, .integer(target.key)),
    ])
    let entity = try entity(Link.self, to: "link \(owner.reference)")
    let found = try graphObjects(Query(entity: entity, condition: condition))
    return found.first?.typed(Link.self)
  }
}
