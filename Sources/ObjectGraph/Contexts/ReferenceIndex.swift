/// The listed objects of one entity in one context, by what a to-one column refers to.
///
/// Made when a to-many property is first read while many objects are unsaved, so that each further
/// one costs its members. It is dropped by whatever changes objects other than an edit.
final class ReferenceIndex {
  private let column: Int
  /// For each id that is referred to, the ids of the objects that refer to it, perhaps no longer.
  private var referrers: [Int64: Set<Int64>] = [:]
  /// The ids of objects that were listed or edited since the last time it was asked.
  ///
  /// Not the objects: they have the table that has the index.
  private var edited: [Int64] = []
  private let limit: Int

  init(_ column: Int, of listed: [Instance]) {
    self.column = column
    edited = listed.map(\.key)
    limit = listed.count * 2 + 1024
  }

  /// Remembers to look at an object that is listed or about to be edited; false if so many wait that
  /// a new index is cheaper.
  func note(_ object: Instance) -> Bool {
    edited.append(object.key)
    return edited.count <= limit
  }

  /// The ids of the objects in a table that refer to an id, and perhaps some that did.
  func candidates(_ key: Int64, in table: AnyTable) -> Set<Int64> {
    for other in edited {
      guard let target = table.object(other)?.target(of: column) else { continue }
      referrers[target, default: []].insert(other)
    }
    edited.removeAll(keepingCapacity: true)
    return referrers[key] ?? []
  }
}

extension AnyTable {
  /// The index of a column, made if there is none.
  func index(of column: Int, _ listed: [Instance]) -> ReferenceIndex {
    if let index = indexes[column] { return index }
    let index = ReferenceIndex(column, of: listed)
    indexes[column] = index
    hasIndexes = true
    return index
  }

  /// Tells the indexes of an object that is listed or about to be edited.
  @inline(__always)
  final func noteEdit(of object: Instance) {
    if hasIndexes { noteInIndexes(object) }
  }

  private func noteInIndexes(_ object: Instance) {
    for index in indexes.values where !index.note(object) { return dropIndexes() }
  }

  /// Forgets the indexes: objects are changed otherwise than by edits.
  final func dropIndexes() {
    guard hasIndexes else { return }
    indexes = [:]
    hasIndexes = false
  }
}

extension ObjectContext {
  /// The number of listed objects from which on an index pays.
  private static let indexedFrom = 32

  /// The objects whose column refers to an id, oldest first.
  func members(_ entity: Int, _ column: Int, of key: Int64) throws -> [Instance] {
    try reading { try foundMembers(entity, column, of: key) }
  }

  private func foundMembers(_ entity: Int, _ column: Int, of key: Int64) throws -> [Instance] {
    let table = table(entity)
    var found: Set<Instance> = []
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

  /// Listed objects of this context, among them those whose column refers to an id.
  private func candidates(_ entity: Int, _ column: Int, _ key: Int64) -> [Instance] {
    let listed = listed[entity]
    guard listed.count >= Self.indexedFrom, let table = tables[entity] else { return listed }
    return table.index(of: column, listed).candidates(key, in: table).compactMap(table.object)
  }

  /// The object that counts more than the store's row, as in an ``Overlay``.
  private func covering(_ key: Int64, _ entity: Int) -> Instance? {
    var level: ObjectContext? = self
    while let next = level {
      if let object = next.tables[entity]?.object(key), object.covers { return object }
      level = next.parent
    }
    return family.unmerged.contains(key, entity) ? nearest(key, entity) : nil
  }
}
