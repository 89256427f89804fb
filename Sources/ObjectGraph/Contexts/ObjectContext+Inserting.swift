extension ObjectContext {
  /// Takes in a disconnected object with everything it is linked to.
  ///
  /// Inserting again changes nothing, unless the insertion was undone or the object was deleted
  /// before it was ever saved: then it is new once more. If an id is taken, or an object is of
  /// another context, nothing is inserted.
  public func insert(_ object: GraphObject) throws {
    guard case .table(let table) = object.home else { return try insertDraft(of: object) }
    if table.context === self, !object.isDeleted { return }
    guard table.context === self, object.wasNeverSaved else {
      throw named(
        GraphError(
          "insert \(object.reference)",
          object.isDeleted ? .deleted(object.reference) : .otherContext))
    }
    try insertAgain(object)
  }

  /// Takes in an object that was new and went away, with those of its kind to which it refers.
  private func insertAgain(_ object: GraphObject) throws {
    var found = [object]
    var known: Set<GraphObject> = [object]
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      for (column, property) in object.layout.columns.enumerated() {
        guard let type = property.target, let entity = model.index(of: type),
          let key = object.target(of: column), let target = tables[entity]?.object(key),
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

  /// Makes a new object of a value and takes it in.
  @discardableResult
  public func insert<Value: Entity>(_ value: Value) throws -> Object<Value> {
    let object = Object(value)
    try insertDraft(of: object)
    return object
  }

  /// Takes in a disconnected object with its draft's component.
  func insertDraft(of object: GraphObject) throws {
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

  private func isDescendant(of other: ObjectContext) -> Bool {
    var context: ObjectContext? = self
    while let next = context {
      if next === other { return true }
      context = next.parent
    }
    return false
  }

  /// The table for a new object, or why it cannot be taken in.
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
    list(object, in: table)
    if table.isWatched { didChange(object) }
  }

  /// Whether an object with the id is known here or above; the store tells when it is saved.
  package func isTaken(_ key: Int64, _ entity: Int) -> Bool {
    var context: ObjectContext? = self
    while let next = context {
      if let known = next.tables[entity]?.object(key), known.phase != .gone { return true }
      context = next.parent
    }
    return false
  }
}

extension ObjectContext {
  /// Links an object to another, or unlinks it, and throws what the property's setter reports.
  public func set<Value: Entity, Target: Entity>(
    _ path: WritableKeyPath<Value, Ref<Target>?>, of object: Object<Value>,
    to target: Object<Target>?
  ) throws {
    try object.link(path, to: target)
  }
}
