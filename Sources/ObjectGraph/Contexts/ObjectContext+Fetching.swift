public import Foundation

extension ObjectContext {
  /// The objects that a filter admits, in an order.
  ///
  /// Unsaved changes, here and in the contexts above, count as if they were saved. An object that
  /// the context already has is the same object.
  ///
  /// ```swift
  /// let due = try context.fetch(Card.self, where: { $0.rightCount < 3 }, sort: { $0.question })
  /// ```
  public func fetch<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(
      FetchRequest(filter: Filter(filter), order: Ordering(sort), limit: limit, offset: offset))
  }

  /// The objects that a filter admits, oldest first.
  public func fetch<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>, limit: Int? = nil,
    offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(filter: Filter(filter), limit: limit, offset: offset))
  }

  /// The objects that a stored filter admits, in an order; all of them without a filter.
  public func fetch<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(filter: filter, order: Ordering(sort), limit: limit, offset: offset))
  }

  /// The objects that a stored filter admits, oldest first; all of them without a filter.
  public func fetch<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil, limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(filter: filter, limit: limit, offset: offset))
  }

  /// The objects of a request.
  public func fetch<Value: Entity>(_ request: FetchRequest<Value>) throws -> [Object<Value>] {
    let query = try query(of: request)
    if request.prefetch.paths.isEmpty { return try instances(query).typed(Value.self) }
    return try keepingMoment {
      let found = try instances(query)
      try prefetch(request.prefetch.steps, of: found, query.entity)
      return found.typed(Value.self)
    }
  }

  /// What a request asks of the store, or why it cannot be asked.
  func query<Value: Entity>(of request: FetchRequest<Value>) throws -> Query {
    try naming { try request.query(in: model) }
  }

  /// The plain values of what a fetch would find, in an order, without objects.
  public func values<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(
      FetchRequest(filter: Filter(filter), order: Ordering(sort), limit: limit, offset: offset))
  }

  /// The plain values of what a fetch would find, oldest first, without objects.
  public func values<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>, limit: Int? = nil,
    offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(filter: Filter(filter), limit: limit, offset: offset))
  }

  /// The plain values that a stored filter admits, in an order; all of them without a filter.
  public func values<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(filter: filter, order: Ordering(sort), limit: limit, offset: offset))
  }

  /// The plain values that a stored filter admits, oldest first; all of them without a filter.
  public func values<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil, limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(filter: filter, limit: limit, offset: offset))
  }

  /// The plain values of a request.
  public func values<Value: Entity>(_ request: FetchRequest<Value>) throws -> [Value] {
    let query = try query(of: request)
    return try reading { try values(query) }
  }

  private func values<Value: Entity>(_ query: Query) throws -> [Value] {
    guard try isPlain(query), let reader = try currentReader() else {
      return try instances(query).typed(Value.self).map(\.value)
    }
    let cursor = try reader.cursor(query)
    defer { cursor.close() }
    let layout = Value.layout
    var memory = GrowingMemory(of: Value.self)
    // The values before a row that cannot be read; none once they were taken.
    defer { memory.endAll(of: Value.self) }
    while let key = try cursor.next() {
      if memory.isFull { memory.grow(moving: Value.self) }
      cursor.load(into: cells)
      do {
        try layout.decode(cells, into: memory.nextPlace)
        memory.count += 1
      } catch {
        throw layout.unreadableRow(key, error)
      }
    }
    return memory.takeAll(of: Value.self)
  }

  /// The object a reference means; nil if there is none.
  public func find<Value: Entity>(_ ref: Ref<Value>) throws -> Object<Value>? {
    let entity = try entity(Value.self, to: "find \(ref)")
    guard let found = try instance(ref.key, entity) else { return nil }
    return found.typed(Value.self)
  }

  /// The object a reference means, or the error that there is none or that it was deleted.
  public func object<Value: Entity>(with ref: Ref<Value>) throws -> Object<Value> {
    if let object = try find(ref) { return object }
    throw absence(ref.key, try entity(Value.self, to: "find \(ref)"), "find \(ref)")
  }

  private func absence(_ key: Int64, _ entity: Int, _ attempted: String) -> GraphError {
    let name = "\(model.layouts[entity].name)/\(key)"
    let isDeleted = tables[entity]?.object(key)?.isDeleted ?? false
    return named(GraphError(attempted, isDeleted ? .deleted(name) : .notFound(name)))
  }

  func members<Target: Entity>(
    _: Target.Type, column: Int, of key: Int64
  ) throws -> [Object<Target>] {
    let entity = try entity(Target.self, to: "follow a relation to \(Target.layout.name)")
    // A property cannot throw: nobody may take a read that was cancelled for no members.
    return try readingToEnd { try members(entity, column, of: key) }.typed(Target.self)
  }

  /// Reads along what is at the end of paths of relations, and keeps it for this unit of work.
  ///
  /// The beginnings of a path come before it, so that what two have in common is read once.
  private func prefetch(_ paths: [[String]], of objects: [GraphObject], _ entity: Int) throws {
    var reached: [[String]: (objects: [GraphObject], entity: Int)] = [[]: (objects, entity)]
    for path in paths {
      guard let name = path.last, let start = reached[path.dropLast()], !start.objects.isEmpty
      else { continue }
      reached[path] = try related(name, of: start.objects, start.entity)
    }
  }

  /// The objects at the other side of one relation.
  private func related(
    _ name: String, of objects: [GraphObject], _ entity: Int
  ) throws -> (objects: [GraphObject], entity: Int) {
    let layout = model.layouts[entity]
    let related: Query
    if let column = layout.column(everNamed: name), let target = layout.columns[column].target {
      let keys = Set(objects.compactMap { $0.target(of: column) })
      related = Query(
        entity: try self.entity(target, to: "prefetch \(layout.name).\(name)"),
        condition: .isIn(PropertyPath(name: "id"), keys.sorted().map(StoredValue.integer)))
    } else if let many = layout.toMany(named: name), let inverse = many.inverse {
      let target = try self.entity(many.target, to: "prefetch \(layout.name).\(name)")
      let property = PropertyPath(name: model.layouts[target].columns[inverse].name)
      related = Query(
        entity: target, condition: .isIn(property, objects.map { .integer($0.key) }))
    } else {
      throw GraphError(
        "prefetch \(layout.name).\(name)", .notFound("relation \(layout.name).\(name)"))
    }
    let found = try instances(related)
    root.kept += found
    return (found, related.entity)
  }
}

extension ObjectContext {
  /// The store's id, drawn when it was created; empty for a draft.
  public var storeID: String { root.store?.id ?? "" }

  /// Where the object is found again, from any program: `lineage://<store id>/<Entity>/<id>`.
  public func uri(of object: GraphObject) throws -> URL {
    guard let store = root.store,
      let uri = URL(string: "lineage://\(store.id)/\(object.layout.name)/\(object.key)")
    else {
      throw named(GraphError("name \(object.reference)", .disconnected(object.reference)))
    }
    return uri
  }

  /// The object at a URI, or the error that says why there is none: deleted, another store's, an
  /// unknown entity's, or no URI of an object at all.
  public func object(at uri: URL) throws -> GraphObject {
    try naming { try instance(at: uri) }
  }

  private func instance(at uri: URL) throws -> GraphObject {
    let attempted = "find \(uri.absoluteString)"
    let parts = uri.pathComponents.filter { $0 != "/" }
    guard uri.scheme == "lineage", let host = uri.host(), parts.count == 2,
      let key = Int64(parts[1]), key > 0
    else { throw GraphError(attempted, .notAURI(uri.absoluteString)) }
    guard host.lowercased() == storeID.lowercased() else {
      throw GraphError(attempted, .wrongStore(expected: host, found: storeID))
    }
    guard let entity = model.index(named: parts[0]) else {
      throw GraphError(attempted, .unknownEntity(parts[0]))
    }
    if let object = try instance(key, entity) { return object }
    // A URI comes from an object that was there, and its id is nobody else's.
    throw GraphError(attempted, .deleted("\(parts[0])/\(key)"))
  }
}
