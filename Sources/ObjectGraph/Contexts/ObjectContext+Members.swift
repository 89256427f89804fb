extension ObjectContext {
  /// The least number of objects in the list of changes for which a lookup uses an index.
  private static let indexedFrom = 32

  /// Returns the objects of an entity that refer to an id by the given column, oldest first.
  func members(_ entity: Int, _ column: Int, of key: Int64) throws -> [GraphObject] {
    try reading { try foundMembers(entity, column, of: key) }
  }

  private func foundMembers(_ entity: Int, _ column: Int, of key: Int64) throws -> [GraphObject] {
    let table = table(entity)
    var found: Set<GraphObject> = []
    var level: ObjectContext? = self
    while let next = level {
      let candidates = next.candidates(entity, column, key)
      family.examined += candidates.count
      for candidate in candidates
      where candidate.covers && !candidate.isDeleted && candidate.target(of: column) == key
        && covering(candidate.key, entity) === candidate
      {
        found.insert(own(candidate, in: table))
      }
      level = next.parent
    }
    for other in family.unmerged.heldKeys[entity] {
      if let object = covering(other, entity), !object.isDeleted, object.target(of: column) == key {
        found.insert(own(object, in: table))
      }
    }
    let property = PropertyPath(name: model.layouts[entity].columns[column].name)
    found.formUnion(
      try stored(Query(entity: entity, condition: .compare(property, .equal, .integer(key)))) {
        covering($0, entity) == nil
      })
    return found.filter { !$0.isDeleted }.sorted { $0.key < $1.key }
  }

  /// Returns objects in the list of changes, including all that refer to the id by the column.
  private func candidates(_ entity: Int, _ column: Int, _ key: Int64) -> [GraphObject] {
    let listed = listed[entity]
    guard listed.count >= Self.indexedFrom, let table = tables[entity] else { return listed }
    return table.index(of: column, listed).candidates(key, in: table).compactMap(table.object)
  }

  /// Returns the unsaved or unmerged object that replaces the store's row; nil if the row itself
  /// counts.
  private func covering(_ key: Int64, _ entity: Int) -> GraphObject? {
    var level: ObjectContext? = self
    while let next = level {
      if let object = next.tables[entity]?.object(key), object.covers { return object }
      level = next.parent
    }
    return family.unmerged.contains(key, entity) ? nearest(key, entity) : nil
  }
}
