extension ObjectContext {
  /// Inserts a disconnected object with all objects to which it is linked.
  ///
  /// An object that is already in this context stays as it is. An object whose insertion was
  /// undone, or that was deleted before its first save, is inserted again as a new object.
  ///
  /// - Throws: An error, for example if an id is taken or an object belongs to another context.
  ///   Nothing is inserted then.
  /// - Complexity: Linear in the number of linked objects, each of which is looked up in each
  ///   context up to the root.
  public func insert(_ object: GraphObject) throws {
    guard case .table(let table) = object.home else { return try insertDraft(of: object) }
    if table.context === self, !object.isDeleted { return }
    try permitChanges("insert \(object.reference)")
    guard table.context === self, object.wasNeverSaved else {
      throw named(
        GraphError(
          "insert \(object.reference)",
          object.isDeleted ? .deleted(object.reference) : .otherContext))
    }
    try insertAgain(object)
  }

  /// Inserts again an object that an undo or a deletion has removed before its first save. Objects
  /// to which it refers are also inserted again, if they were removed before their first save.
  private func insertAgain(_ object: GraphObject) throws {
    var found = [object]
    var known: Set<GraphObject> = [object]
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      for (column, property) in object.layout.columns.enumerated() {
        guard let type = property.target, let entity = model.index(of: type),
          let key = object.target(of: column), let target = held(key, entity),
          target.wasNeverSaved, known.insert(target).inserted
        else { continue }
        found.append(target)
      }
    }
    let places = try found.map(place)
    group {
      for (object, table) in zip(found, places) { adopt(object, table) }
    }
  }

  /// Creates an object with a value, and inserts it.
  ///
  /// - Complexity: A lookup of the id in each context up to the root. The lists and contexts that
  ///   follow this context are then updated.
  @discardableResult
  public func insert<Value: Entity>(_ value: Value) throws -> Object<Value> {
    let object = Object(value)
    try insertDraft(of: object)
    return object
  }

  /// Inserts a disconnected object with all objects that are linked to it in its draft.
  ///
  /// If one of the objects cannot be inserted, all stay in the draft.
  func insertDraft(of object: GraphObject) throws {
    try permitChanges("insert \(object.reference)")
    guard case .draft(let draft) = object.home else { return adopt(object, try place(for: object)) }
    let component = draft.component(of: object)
    for other in draft.outsiders(of: component).compactMap(\.context) {
      guard isDescendant(of: other) else {
        throw named(GraphError("insert \(object.reference)", .otherContext))
      }
    }
    let places = try component.map(place)
    group {
      for (object, table) in zip(component, places) { adopt(object, table) }
    }
    draft.release(component)
  }

  /// Returns whether another context is this one or above it.
  func isDescendant(of other: ObjectContext) -> Bool {
    var context: ObjectContext? = self
    while let next = context {
      if next === other { return true }
      context = next.parent
    }
    return false
  }

  /// Returns the table for a new object.
  ///
  /// - Throws: The reason why the object cannot be inserted.
  private func place(for object: GraphObject) throws -> AnyTable {
    let entity = try entity(object.layout.type, to: "insert \(object.reference)")
    if isTaken(object.key, entity) {
      throw named(GraphError("insert \(object.reference)", .idTaken(object.reference)))
    }
    return table(entity)
  }

  private func adopt(_ object: GraphObject, _ table: AnyTable) {
    table.register(object, .inserted)
    object.isNew = true
    undoLog?.recordInsertion(object)
    noteChange(object, in: table)
    if table.isWatched { didChange(object) }
  }

  /// Returns whether this context or a context above has an object with the id. The store is not
  /// asked, because a save fails if the store has a row with the id.
  package func isTaken(_ key: Int64, _ entity: Int) -> Bool {
    var context: ObjectContext? = self
    while let next = context {
      if let known = next.held(key, entity), known.phase != .gone { return true }
      context = next.parent
    }
    return false
  }
}

extension ObjectContext {
  /// Makes a to-one property refer to the target, or to no object if the target is nil.
  ///
  /// - Throws: The error that the property's setter would report to `onError`.
  /// - Complexity: Linear in the number of objects that are linked with a disconnected target. All
  ///   of them are inserted. If both objects are disconnected, linear in the size of the smaller of
  ///   their drafts.
  public func set<Value: Entity, Target: Entity>(
    _ path: WritableKeyPath<Value, Ref<Target>?>, of object: Object<Value>,
    to target: Object<Target>?
  ) throws {
    try object.link(path, to: target)
  }
}
