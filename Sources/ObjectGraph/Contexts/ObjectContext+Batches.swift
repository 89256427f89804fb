// These functions return many objects at once, for coders and archives. No row is read for an
// object that this context or a context above already has. All other objects are fetched by one
// query for each 500 ids.

extension ObjectContext {
  /// Returns the objects of an entity with the given ids. The result has no entry for the id of a
  /// missing or deleted object.
  package func graphObjects(
    _ keys: some Sequence<Int64>, of entity: Int
  ) throws -> [Int64: GraphObject] {
    // The rest is in a function that is not generic, because the compiler does not specialize
    // generic functions for other modules.
    var sorted = Array(keys)
    sorted.sort()
    return try reading { try found(sorted, of: entity) }
  }

  /// Returns the objects of an entity with the given ids. The ids must be sorted.
  private func found(_ keys: [Int64], of entity: Int) throws -> [Int64: GraphObject] {
    let table = table(entity)
    var found: [Int64: GraphObject] = [:]
    found.reserveCapacity(keys.count)
    var unknown: [Int64] = []
    var last: Int64?
    for key in keys where key != last {
      last = key
      if let known = knownObject(key, in: table) {
        if let known { found[key] = known }
      } else {
        unknown.append(key)
      }
    }
    for condition in Self.conditions(PropertyPath(name: "id"), unknown) {
      for object in try stored(Query(entity: entity, condition: condition), { _ in true }) {
        found[object.key] = object
      }
    }
    return found
  }

  /// Returns the object with an id if this context or one above has it; nil if none has. The inner
  /// value is nil if the object is deleted.
  func knownObject(_ key: Int64, in table: AnyTable) -> GraphObject?? {
    if let known = table.object(key) { return known.isDeleted ? .some(nil) : known }
    guard let above = known(key, table.entity) else { return nil }
    return above.isDeleted ? .some(nil) : table.copy(above)
  }

  /// Calls a closure with all objects of an entity, at most `size` of them in each call, in the
  /// order of ids. All calls show one moment (read transaction) of the store.
  ///
  /// - Complexity: One pass over the store's rows, and a sort of the unsaved objects.
  package func forEachPage(
    of entity: Int, _ size: Int, _ body: ([GraphObject]) throws -> Void
  ) throws {
    try naming { try keepingMoment { try lendPages(of: entity, size, body) } }
  }

  private func lendPages(
    of entity: Int, _ size: Int, _ body: ([GraphObject]) throws -> Void
  ) throws {
    try hearForList()
    let overlay = Overlay(entity, of: self)
    var unsaved = own(overlay).sorted { $0.key < $1.key }[...]
    var page: [GraphObject] = []
    func add(_ object: GraphObject) throws {
      page.append(object)
      guard page.count >= size else { return }
      try body(page)
      page.removeAll(keepingCapacity: true)
    }
    try forEachStored(Query(entity: entity)) { key, object in
      guard !overlay.covers(key) else { return }
      while let first = unsaved.first, first.key < key { try add(unsaved.removeFirst()) }
      if let object = try object() { try add(object) }
    }
    for object in unsaved { try add(object) }
    if !page.isEmpty { try body(page) }
  }

  /// Returns all objects of an entity in the order of ids.
  package func allGraphObjects(_ entity: Int) throws -> [GraphObject] {
    guard isDraft else { return try graphObjects(Query(entity: entity)) }
    // All objects of a draft are new.
    return changes.lists[entity].filter { $0.phase == .inserted }.sorted { $0.key < $1.key }
  }

  /// Whether the context is a draft, which has neither a store nor a parent.
  package var isDraft: Bool { parent == nil && session.store == nil }

  /// Returns conditions, each with at most 500 of the ids. An object meets one of the conditions if
  /// its property is one of the ids.
  static func conditions(_ property: PropertyPath, _ keys: [Int64]) -> [Condition] {
    if keys.count == 1 { return [.compare(property, .equal, .integer(keys[0]))] }
    return stride(from: 0, to: keys.count, by: 500).map { start in
      .isIn(property, keys[start..<min(start + 500, keys.count)].map(StoredValue.integer))
    }
  }
}
