public import Foundation

extension ObjectContext {
  /// Returns the objects that meet a filter, in an order.
  ///
  /// Unsaved changes, here and in the contexts above, count as if they were saved. If the context
  /// already has the object of a row, the result has that object.
  ///
  /// ```swift
  /// let due = try context.fetch(Card.self, where: { $0.rightCount < 3 }, sort: { $0.question })
  /// ```
  ///
  /// - Complexity: One query of the store, and one pass over the entity's unsaved objects. If the
  ///   filter or order looks at other objects with unsaved changes, all rows of the entity are
  ///   read.
  public func fetch<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(
      FetchRequest(filter: Filter(filter), order: Ordering(sort), limit: limit, offset: offset))
  }

  /// Returns the objects that meet a filter, oldest first.
  ///
  /// - Complexity: One query of the store, and one pass over the entity's unsaved objects. If the
  ///   filter looks at other objects with unsaved changes, all rows of the entity are read.
  public func fetch<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>, limit: Int? = nil,
    offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(filter: Filter(filter), limit: limit, offset: offset))
  }

  /// Returns the objects that meet the given filter, in an order. Without a filter, returns all
  /// objects.
  ///
  /// - Complexity: One query of the store, and one pass over the entity's unsaved objects. If the
  ///   filter or order looks at other objects with unsaved changes, all rows of the entity are
  ///   read.
  public func fetch<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(filter: filter, order: Ordering(sort), limit: limit, offset: offset))
  }

  /// Returns the objects that meet the given filter, oldest first. Without a filter, returns all
  /// objects.
  ///
  /// - Complexity: One query of the store, and one pass over the entity's unsaved objects. If the
  ///   filter looks at other objects with unsaved changes, all rows of the entity are read.
  public func fetch<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil, limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(filter: filter, limit: limit, offset: offset))
  }

  /// Returns the objects of a request, and prefetches the relations that the request names.
  ///
  /// - Complexity: One query of the store, one for each prefetched relation, and one pass over the
  ///   entity's unsaved objects. If the filter or order looks at other objects with unsaved
  ///   changes, all rows of the entity are read.
  public func fetch<Value: Entity>(_ request: FetchRequest<Value>) throws -> [Object<Value>] {
    let query = try query(of: request)
    if request.prefetch.paths.isEmpty { return try instances(query).typed(Value.self) }
    return try keepingMoment {
      let found = try instances(query)
      try prefetch(request.prefetch.steps, of: found, query.entity)
      return found.typed(Value.self)
    }
  }

  /// Returns the query of the store for a request.
  ///
  /// - Throws: The reason why the schema does not allow the request.
  func query<Value: Entity>(of request: FetchRequest<Value>) throws -> Query {
    try naming { try request.query(in: model) }
  }

  /// Returns the plain values of the objects that meet a filter, in an order.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, the objects
  ///   are fetched instead.
  public func values<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(
      FetchRequest(filter: Filter(filter), order: Ordering(sort), limit: limit, offset: offset))
  }

  /// Returns the plain values of the objects that meet a filter, oldest first.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, the objects
  ///   are fetched instead.
  public func values<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value>, limit: Int? = nil,
    offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(filter: Filter(filter), limit: limit, offset: offset))
  }

  /// Returns the plain values of the objects that meet the given filter, in an order. Without a
  /// filter, returns those of all objects.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, the objects
  ///   are fetched instead.
  public func values<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil,
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value>,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(filter: filter, order: Ordering(sort), limit: limit, offset: offset))
  }

  /// Returns the plain values of the objects that meet the given filter, oldest first. Without a
  /// filter, returns those of all objects.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, the objects
  ///   are fetched instead.
  public func values<Value: Entity>(
    _: Value.Type, filter: Filter<Value>? = nil, limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(filter: filter, limit: limit, offset: offset))
  }

  /// Returns the plain values of the objects of a request.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, the objects
  ///   are fetched instead.
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
    // If a row cannot be read, the values before it must be ended. After `takeAll` there are none.
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

  /// Returns the object to which a reference points; nil if there is none.
  ///
  /// - Complexity: A lookup in each context up to the root, and one row read if none has the
  ///   object.
  public func find<Value: Entity>(_ ref: Ref<Value>) throws -> Object<Value>? {
    let entity = try entity(Value.self, to: "find \(ref)")
    guard let found = try instance(ref.key, entity) else { return nil }
    return found.typed(Value.self)
  }

  /// Returns the object to which a reference points.
  ///
  /// - Throws: `notFound` if there is none, and `deleted` if it was deleted.
  /// - Complexity: A lookup in each context up to the root, and one row read if none has the
  ///   object.
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
    // A property cannot throw, and a cancelled read must not look like an empty relation.
    return try readingToEnd { try members(entity, column, of: key) }.typed(Target.self)
  }

  /// Prefetches the objects at the end of paths of relations. The root context retains them until
  /// its moment ends.
  ///
  /// Each path comes after the shorter paths with which it begins, so that a shared beginning is
  /// read once.
  private func prefetch(_ paths: [[String]], of objects: [GraphObject], _ entity: Int) throws {
    var reached: [[String]: (objects: [GraphObject], entity: Int)] = [[]: (objects, entity)]
    for path in paths {
      guard let name = path.last, let start = reached[path.dropLast()], !start.objects.isEmpty
      else { continue }
      reached[path] = try related(name, of: start.objects, start.entity)
    }
  }

  /// Returns the objects at the other side of one relation. The root context retains them.
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
  /// The random id that the store got when it was created; empty for a draft.
  public var storeID: String { root.store?.id ?? "" }

  /// Returns the URI by which any program finds the object in the store:
  /// `lineage://<store id>/<Entity>/<id>`.
  public func uri(of object: GraphObject) throws -> URL {
    guard let store = root.store,
      let uri = URL(string: "lineage://\(store.id)/\(object.layout.name)/\(object.key)")
    else {
      throw named(GraphError("name \(object.reference)", .disconnected(object.reference)))
    }
    return uri
  }

  /// Returns the object at a URI.
  ///
  /// - Throws: The reason why there is no object: it was deleted, the URI is of another store or of
  ///   an unknown entity, or it is not the URI of an object.
  /// - Complexity: A lookup in each context up to the root, and one row read if none has the
  ///   object.
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
      throw GraphError(attempted, .wrongStore(expected: storeID, found: host))
    }
    guard let entity = model.index(named: parts[0]) else {
      throw GraphError(attempted, .unknownEntity(parts[0]))
    }
    if let object = try instance(key, entity) { return object }
    // The URI came from an object that existed, and no other object has its id.
    throw GraphError(attempted, .deleted("\(parts[0])/\(key)"))
  }
}
