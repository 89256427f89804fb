public import Foundation

extension ObjectContext {
  /// Returns the objects that meet a filter, in the given order. Without a filter, returns all
  /// objects. Without an order, the oldest object comes first.
  ///
  /// Unsaved changes of this context and of the contexts above count as if they were saved. If the
  /// context already has an object for a row, the result contains that object.
  ///
  /// ```swift
  /// let due = try context.fetch(Card.self, where: { $0.rightCount < 3 }, sort: { $0.question })
  /// let known = try context.fetch(Card.self, where: { _ in filter })  // a ready filter
  /// ```
  ///
  /// - Complexity: One query of the store, and one pass over the entity's unsaved objects. If the
  ///   filter or order uses related objects, and any object of their entity has unsaved changes,
  ///   all rows of the fetched entity are read.
  public func fetch<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() },
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value> = { _ in Ordering() },
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object<Value>] {
    try fetch(FetchRequest(where: filter, sort: sort, limit: limit, offset: offset))
  }

  /// Returns the objects of a request. Prefetches the objects of the relations that the request
  /// names.
  ///
  /// - Complexity: One query of the store, one query for each prefetched relation, and one pass
  ///   over the entity's unsaved objects. If the filter or order uses related objects, and any
  ///   object of their entity has unsaved changes, all rows of the fetched entity are read.
  public func fetch<Value: Entity>(_ request: FetchRequest<Value>) throws -> [Object<Value>] {
    let query = try query(of: request)
    try noteRead(query)
    if request.prefetch.paths.isEmpty { return try graphObjects(query).typed(Value.self) }
    return try keepingMoment {
      let found = try graphObjects(query)
      try prefetch(request.prefetch.steps, of: found, query.entity)
      return found.typed(Value.self)
    }
  }

  /// Returns the query that asks the store for the objects of a request.
  ///
  /// - Throws: The reason why the schema does not allow the request.
  func query<Value: Entity>(of request: FetchRequest<Value>) throws -> Query {
    try naming { try request.query(in: model) }
  }

  /// Returns the plain structs of the objects that meet a filter, in the given order. Without a
  /// filter, returns the structs of all objects. Without an order, the oldest object comes first.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects.
  public func values<Value: Entity>(
    _: Value.Type, where filter: (Columns<Value>) -> Filter<Value> = { _ in .all() },
    @OrderingBuilder<Value> sort: (Columns<Value>) -> Ordering<Value> = { _ in Ordering() },
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    try values(FetchRequest(where: filter, sort: sort, limit: limit, offset: offset))
  }

  /// Returns the plain structs of the objects of a request.
  ///
  /// - Complexity: One query of the store. If unsaved changes may affect the result, one fetch of
  ///   the objects.
  public func values<Value: Entity>(_ request: FetchRequest<Value>) throws -> [Value] {
    let query = try query(of: request)
    try noteRead(query)
    try announce(query)
    return try reading { try values(query) }
  }

  private func values<Value: Entity>(_ query: Query) throws -> [Value] {
    let answer = try QueryAnswer(query, in: self)
    guard answer.isPlain, let reader = try currentReader() else {
      return try answer.objects().typed(Value.self).map(\.value)
    }
    let cursor = try reader.cursor(query)
    defer { cursor.close() }
    let layout = Value.layout
    let cells = cells
    var memory = GrowingMemory(of: Value.self)
    // If a row cannot be read, the values of the rows before it are still in the memory and must be
    // deinitialised. After `takeAll`, the memory is empty.
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

  /// Returns the object to which a reference points; nil if it does not exist or was deleted.
  ///
  /// - Complexity: A lookup in each context up to the root, and one row read if no context has the
  ///   object.
  public func find<Value: Entity>(_ ref: Ref<Value>) throws -> Object<Value>? {
    let entity = try entity(Value.self, to: "find \(ref)")
    noteRead(entity)
    guard let found = try graphObject(ref.key, entity) else { return nil }
    return found.typed(Value.self)
  }

  /// Returns the object to which a reference points.
  ///
  /// - Throws: `notFound` if there is no object. If this context still has the object after its
  ///   deletion, the reason is `deleted`.
  /// - Complexity: A lookup in each context up to the root, and one row read if no context has the
  ///   object.
  public func object<Value: Entity>(with ref: Ref<Value>) throws -> Object<Value> {
    if let object = try find(ref) { return object }
    throw absence(ref.key, try entity(Value.self, to: "find \(ref)"), "find \(ref)")
  }

  private func absence(_ key: Int64, _ entity: Int, _ attempted: String) -> GraphError {
    let name = "\(model.layouts[entity].name)/\(key)"
    let isDeleted = held(key, entity)?.isDeleted ?? false
    return named(GraphError(attempted, isDeleted ? .deleted(name) : .notFound(name)))
  }

  func members<Target: Entity>(
    _: Target.Type, column: Int, of key: Int64
  ) throws -> [Object<Target>] {
    let entity = try entity(Target.self, to: "follow a relation to \(Target.layout.name)")
    noteRead(entity)
    // This read ignores cancellation. It serves a property, which cannot throw, and a cancelled
    // read would look like an empty relation.
    return try readingToEnd { try members(entity, column, of: key) }.typed(Target.self)
  }

  /// Prefetches the related objects to which paths of relations lead. The root context retains
  /// these objects until its moment (read transaction) ends.
  ///
  /// The search for the path `deck.owner` begins with the objects of the path `deck`, so that no
  /// relation is read twice. In `paths`, a path must come after the shorter paths with which it
  /// begins.
  private func prefetch(_ paths: [[String]], of objects: [GraphObject], _ entity: Int) throws {
    var reached: [[String]: (objects: [GraphObject], entity: Int)] = [[]: (objects, entity)]
    for path in paths {
      guard let name = path.last, let start = reached[path.dropLast()], !start.objects.isEmpty
      else { continue }
      reached[path] = try related(name, of: start.objects, start.entity)
    }
  }

  /// Returns the objects to which one relation of the given objects leads, and the index of their
  /// entity. The root context retains the returned objects.
  private func related(
    _ name: String, of objects: [GraphObject], _ entity: Int
  ) throws -> (objects: [GraphObject], entity: Int) {
    let layout = model.layouts[entity]
    let related: Query
    if let column = layout.column(everNamed: name), let target = layout.columns[column].target {
      let keys = Set(objects.compactMap { $0.target(of: column) })
      related = Query(
        entity: try self.entity(target, to: "prefetch \(layout.name).\(name)"), "id",
        isIn: keys.sorted())
    } else if let many = layout.toMany(named: name), let inverse = many.inverse {
      let target = try self.entity(many.target, to: "prefetch \(layout.name).\(name)")
      related = Query(
        entity: target, model.layouts[target].columns[inverse].name, isIn: objects.map(\.key))
    } else {
      throw GraphError(
        "prefetch \(layout.name).\(name)", .notFound("relation \(layout.name).\(name)"))
    }
    let found = try graphObjects(related)
    session.keep(found)
    return (found, related.entity)
  }
}

extension ObjectContext {
  /// The id of the context's store, which is part of each object's URI; empty for a draft.
  public var storeID: String { session.store?.id ?? "" }

  /// Returns the URI of an object: `lineage://<store id>/<Entity>/<id>`. Any program that opens the
  /// store can find the object by this URI.
  public func uri(of object: GraphObject) throws -> URL {
    guard let store = session.store,
      let uri = URL(string: "lineage://\(store.id)/\(object.layout.name)/\(object.key)")
    else {
      throw named(GraphError("name \(object.reference)", .disconnected(object.reference)))
    }
    return uri
  }

  /// Returns the object at a URI.
  ///
  /// - Throws: `notAURI` if the URL is not the URI of an object; `wrongStore` if the URI is of
  ///   another store; `unknownEntity` if the store has no such entity; `deleted` if there is no
  ///   such object.
  /// - Complexity: A lookup in each context up to the root, and one row read if no context has the
  ///   object.
  public func object(at uri: URL) throws -> GraphObject {
    try naming { try graphObject(at: uri) }
  }

  private func graphObject(at uri: URL) throws -> GraphObject {
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
    noteRead(entity)
    if let object = try graphObject(key, entity) { return object }
    // A URI is made from an existing object, and no other object ever has the same id. So the
    // object was deleted.
    throw GraphError(attempted, .deleted("\(parts[0])/\(key)"))
  }
}
