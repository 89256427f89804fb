extension ObjectContext {
  /// Returns this context's object with an id. If there is none yet, copies the object of a context
  /// above, or makes one from the store's row. Returns nil if the object does not exist or was
  /// deleted.
  package func graphObject(_ key: Int64, _ entity: Int) throws -> GraphObject? {
    let table = table(entity)
    if let known = table.object(key) { return known.isDeleted ? nil : known }
    if parent != nil, let above = known(key, entity) {
      return above.isDeleted ? nil : table.copy(above)
    }
    guard let reader = try currentReader() else { return nil }
    let exists = try reader.row(key, of: entity, into: cells)
    if reader.moment != merger.moment, try mustReadAgain(key, entity, reader) {
      return try keepingMoment { try graphObject(key, entity) }
    }
    return exists ? try make(key, cells, in: table) : nil
  }

  /// Learns of others' commits after the first read of a moment, which was that of a row. Returns
  /// whether the commits concern this row, or the store has begun another moment meanwhile.
  ///
  /// The caller then reads again, in a moment that the store must not end. Otherwise many readers
  /// could end each other's moments for ever (`LiveSessions` with 1,000 sessions).
  @inline(never)
  private func mustReadAgain(
    _ key: Int64, _ entity: Int, _ reader: any StoreReader
  ) throws -> Bool {
    let moment = reader.moment
    try merger.hear(reader, in: self)
    let unmerged = merger.unmerged
    return moment != merger.moment || unmerged.contains(key, entity) || unmerged.isEverything
  }

  /// Returns a new object with the row in the cells.
  ///
  /// - Precondition: No context above has an object of that row.
  @inline(__always)
  private func make(_ key: Int64, _ cells: CellRow, in table: AnyTable) throws -> GraphObject {
    let object = try table.make(key, cells)
    if merger.hasUnmerged { merger.didMake(object, table.entity, in: self) }
    return object
  }

  /// Returns the object with an id from the nearest context above that has one; nil if no context
  /// above has one.
  func known(_ key: Int64, _ entity: Int) -> GraphObject? { parent?.nearest(key, entity) }

  /// Returns the object with an id from this context, or from the nearest context above that has
  /// one. Returns nil if none of these contexts has one.
  ///
  /// The function recurses, because the variable of a loop would retain and release each context.
  /// Contexts count their references in side tables, because parents and tables have weak
  /// references to them.
  func nearest(_ key: Int64, _ entity: Int) -> GraphObject? {
    if let object = held(key, entity) { return object }
    return parent?.nearest(key, entity)
  }

  /// Returns this context's object with the same id as the given object. If there is none, copies
  /// the given object into this context and returns the copy.
  func own(_ object: GraphObject, in table: AnyTable) -> GraphObject {
    table.object(object.key) ?? table.copy(object)
  }

  /// Returns the objects of a query. An object of this context or a context above replaces the
  /// store's row if the object is unsaved, or if others have changed the row.
  func graphObjects(_ query: Query) throws -> [GraphObject] {
    try announce(query)
    return try reading { try QueryAnswer(query, in: self).objects() }
  }

  /// Announces the query with which the next moment (read transaction) begins, unless one is under way.
  func announce(_ query: Query) throws {
    try naming {
      if let reader = try currentReader(), reader.moment == 0 { reader.announce(query) }
    }
  }

  /// Returns the objects of the rows that a query finds in the store. Rows whose id the predicate
  /// refuses, and rows of deleted objects, are left out.
  func stored(_ query: Query, _ admits: (Int64) -> Bool) throws -> [GraphObject] {
    var found: [GraphObject] = []
    // The ids of the rows differ, so a table that is empty now knows none of them.
    try forEachStored(query, lookingUp: table(query.entity).map.count > 0) { key, object in
      guard admits(key), let object = try object() else { return }
      found.append(consume object)
    }
    return found
  }

  /// Calls a closure for each row that a query finds in the store. The closure gets the row's id,
  /// and a function that returns the row's object. The function returns nil if the object is
  /// deleted. Without `lookingUp`, the context must have no object of these rows yet.
  @inline(__always)
  func forEachStored(
    _ query: Query, lookingUp: Bool = true,
    _ body: (_ key: Int64, _ object: () throws -> GraphObject?) throws -> Void
  ) throws {
    guard let reader = try currentReader() else { return }
    let table = table(query.entity)
    let cursor = try reader.cursor(query)
    defer { cursor.close() }
    let isRoot = parent == nil
    let cells = cells
    if !lookingUp { table.map.reserve(cursor.rowsAtHand) }
    while let key = try cursor.next() {
      try body(key) {
        if lookingUp, let known = table.object(key) { return known.isDeleted ? nil : known }
        if !isRoot, let above = known(key, query.entity) {
          return above.isDeleted ? nil : table.copy(above)
        }
        cursor.load(into: cells)
        return try make(key, cells, in: table)
      }
    }
  }
}

extension ObjectContext {
  /// Notes, for the live value that is being computed, that it has read all of an entity's objects.
  @inline(__always)
  func noteRead(_ entity: Int) {
    if family.columnsRead != nil { noteWhole(entity) }
  }

  private func noteWhole(_ entity: Int) {
    family.columnsRead?.add(entity, model.layouts[entity].allColumns)
  }

  /// Notes, for the live value that is being computed, what a query reads. A figure is read from the
  /// columns of the condition and the order alone. Objects and values have all columns.
  func noteRead(_ query: Query, isOnlyFigure: Bool = false) throws {
    guard family.columnsRead != nil else { return }
    family.columnsRead?.add(try query.columnsRead(model: model))
    if !isOnlyFigure { noteWhole(query.entity) }
  }
}
