extension ObjectContext {
  /// The least number of changed objects with which a lookup uses an index. With fewer objects, it
  /// examines each of them.
  private static let indexedFrom = 32

  /// Returns the objects of an entity that refer to an id through the given column, oldest first.
  func members(_ entity: Int, _ column: Int, of key: Int64) throws -> [GraphObject] {
    try members(entity, column, of: [key])
  }

  /// Returns the objects of an entity that refer to one of the ids through the given column, oldest
  /// first.
  package func members(_ entity: Int, _ column: Int, of keys: Set<Int64>) throws -> [GraphObject] {
    let property = PropertyPath(name: model.layouts[entity].columns[column].name)
    let conditions = Self.conditions(property, keys.sorted())
    if let first = conditions.first { try announce(Query(entity: entity, condition: first)) }
    return try reading { try foundMembers(entity, column, of: keys, conditions) }
  }

  private func foundMembers(
    _ entity: Int, _ column: Int, of keys: Set<Int64>, _ conditions: [Condition]
  ) throws -> [GraphObject] {
    if conditions.count == 1, isUntouched(entity) {
      // The store's rows are in the order of ids.
      return try stored(Query(entity: entity, condition: conditions[0])) { _ in true }
    }
    let table = table(entity)
    var found: Set<GraphObject> = []
    let only = keys.count == 1 ? keys.first : nil
    func refers(_ object: GraphObject) -> Bool {
      guard !object.isDeleted, let target = object.target(of: column) else { return false }
      return only.map { $0 == target } ?? keys.contains(target)
    }
    var level: ObjectContext? = self
    while let next = level {
      let candidates = next.candidates(entity, column, keys)
      family.examined += candidates.count
      for candidate in candidates
      where candidate.covers && refers(candidate) && covering(candidate.key, entity) === candidate {
        found.insert(own(candidate, in: table))
      }
      level = next.parent
    }
    for other in merger.unmerged.heldKeys[entity] {
      if let object = covering(other, entity), refers(object) {
        found.insert(own(object, in: table))
      }
    }
    for condition in conditions {
      found.formUnion(
        try stored(Query(entity: entity, condition: condition)) { covering($0, entity) == nil })
    }
    return found.filter { !$0.isDeleted }.sorted { $0.key < $1.key }
  }

  /// Returns whether no object of an entity replaces a row of the store in results.
  private func isUntouched(_ entity: Int) -> Bool {
    var level: ObjectContext? = self
    while let next = level {
      guard next.changes.lists[entity].isEmpty else { return false }
      level = next.parent
    }
    return merger.unmerged.heldKeys[entity].isEmpty
  }

  /// Returns some of the objects in the list of changes. They include all objects whose column
  /// refers to one of the ids.
  private func candidates(_ entity: Int, _ column: Int, _ keys: Set<Int64>) -> [GraphObject] {
    let listed = changes.lists[entity]
    guard listed.count >= max(Self.indexedFrom, keys.count * 4), let table = usedTable(entity)
    else {
      return listed
    }
    let index = table.index(of: column, listed)
    return keys.flatMap { index.candidates($0, in: table) }.compactMap(table.object)
  }

  /// Returns the object that replaces a row of the store in results; nil if no object does. An
  /// object replaces its row if it has unsaved changes, or if others have changed the row.
  private func covering(_ key: Int64, _ entity: Int) -> GraphObject? {
    var level: ObjectContext? = self
    while let next = level {
      if let object = next.held(key, entity), object.covers { return object }
      level = next.parent
    }
    return merger.unmerged.contains(key, entity) ? nearest(key, entity) : nil
  }
}
