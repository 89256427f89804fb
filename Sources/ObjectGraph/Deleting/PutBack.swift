/// One attempt to put the objects of a deletion back into a context. All checks come before the first
/// change.
struct PutBack {
  private let context: ObjectContext
  private let deletion: Deletion
  private let rows: [RowKey]
  /// The reasons why objects cannot be put back, by their places in the deletion.
  private var problems: [Int: [Problem]] = [:]

  init(_ deletion: Deletion, in context: ObjectContext) throws {
    (self.deletion, self.context) = (deletion, context)
    rows = try deletion.objects.map {
      RowKey(entity: try context.entity($0.layout.type, to: deletion.attempted), key: $0.key)
    }
  }

  consuming func run() throws {
    // The moment is a new one, so that rows of others are seen.
    let references = try context.read { try context.reading { try check() } }
    guard problems.isEmpty else {
      let invalid = problems.sorted { $0.key < $1.key }
      throw GraphError(
        deletion.attempted,
        .invalid(
          invalid.map { InvalidObject(object: deletion.objects[$0].reference, problems: $1) }))
    }
    try context.group {
      for (object, row) in zip(deletion.objects, rows) {
        context.putBack(object, in: context.table(row.entity))
      }
      for (object, column, owner) in references {
        try object.permitChange()
        object.setTarget(of: column, to: owner)
        object.didChange()
      }
    }
  }

  /// Finds all problems. Returns the references to set, with the context's own objects.
  private mutating func check() throws -> [(object: GraphObject, column: Int, owner: Int64)] {
    problems = [:]
    try checkIDs()
    try checkUniqueValues()
    try checkTargets()
    return try emptyReferences()
  }

  private mutating func checkIDs() throws {
    var taken: [Int] = []
    try context.forEachExpecting(Array(rows.indices), objects: { [deletion.objects[$0]] }) {
      let known = context.held(rows[$0].key, rows[$0].entity)
      // What is deleted here and exists above is not inserted again.
      if let known, known.phase == .deleted, !known.isDeletedTwice { return }
      let other =
        known?.isDeleted == false ? known : try context.above(rows[$0].key, rows[$0].entity)
      if other?.isDeleted == false { taken.append($0) }
    }
    for place in taken { problems[place, default: []].append(Problem("id", "is taken")) }
  }

  private mutating func checkUniqueValues() throws {
    for (entity, places) in Dictionary(grouping: rows.indices, by: { rows[$0].entity }) {
      let layout = context.model.layouts[entity]
      for rule in layout.uniqueRules {
        // A value that no column holds is refused by the save.
        func key(_ object: GraphObject) -> UniqueKey? {
          object.withValue { try? rule.key(in: $0, layout) } ?? nil
        }
        var placeOfKey: [UniqueKey: Int] = [:]
        for place in places {
          if let key = key(deletion.objects[place]) { placeOfKey[key] = place }
        }
        let keys = Array(placeOfKey.keys)
        for start in stride(from: 0, to: keys.count, by: 500) {
          let condition = rule.condition(keys[start...].prefix(500), layout)
          for other in try context.graphObjects(Query(entity: entity, condition: condition)) {
            guard let place = key(other).flatMap({ placeOfKey[$0] }), rows[place].key != other.key
            else { continue }
            let names = rule.columns.map { layout.columns[$0].name }.joined(separator: ", ")
            problems[place, default: []].append(
              Problem(names, "is taken by another \(layout.name)"))
          }
        }
      }
    }
  }

  private mutating func checkTargets() throws {
    let own = Set(rows)
    var targets: [(place: Int, column: Int, row: RowKey)] = []
    for (place, object) in deletion.objects.enumerated() {
      object.forEachReference { column, key in
        guard let entity = object.layout.columns[column].target.flatMap(context.model.index(of:))
        else { return }
        let row = RowKey(entity: entity, key: key)
        if !own.contains(row) { targets.append((place, column, row)) }
      }
    }
    let found = try objects(of: targets.map(\.row))
    for (place, column, row) in targets where found[row] == nil {
      let name = deletion.objects[place].layout.columns[column].name
      let target = context.model.layouts[row.entity].name
      problems[place, default: []].append(Problem(name, "leads to a \(target) that is missing"))
    }
  }

  /// Returns the references that are still nil.
  private func emptyReferences() throws -> [(object: GraphObject, column: Int, owner: Int64)] {
    let rows = try deletion.emptied.map {
      RowKey(
        entity: try context.entity($0.object.layout.type, to: deletion.attempted),
        key: $0.object.key)
    }
    let found = try objects(of: rows)
    return zip(deletion.emptied, rows).compactMap { emptied, row in
      guard let object = found[row], object.target(of: emptied.column) == nil else { return nil }
      return (object, emptied.column, emptied.owner)
    }
  }

  /// Returns the context's objects of some rows, as far as they exist.
  private func objects(of rows: [RowKey]) throws -> [RowKey: GraphObject] {
    var found: [RowKey: GraphObject] = [:]
    for (entity, rows) in Dictionary(grouping: rows, by: \.entity) {
      for (key, object) in try context.graphObjects(Set(rows.map(\.key)), of: entity) {
        found[RowKey(entity: entity, key: key)] = object
      }
    }
    return found
  }
}

extension ObjectContext {
  /// Makes a deleted object exist again. If it is an object of another context, this context's object
  /// or a new one gets its value.
  fileprivate func putBack(_ object: GraphObject, in table: AnyTable) {
    // A discard has disconnected an object that was new when it was deleted.
    let isLone = object.phase == .lone
    if case .draft(let draft) = object.home { draft.release([object]) }
    let isOwn = isLone || object.context === self
    let mine =
      isOwn ? object : table.object(object.key) ?? object.boxed().makeGraphObject()
    if mine.phase == .lone { table.register(mine, .gone) }
    willChange(mine)
    if mine.phase == .deleted, !mine.isDeletedTwice {
      let changedAbove = mine.contest?.columns ?? ColumnMask()
      let edits = isOwn ? ColumnMask() : mine.layout.allColumns.subtracting(changedAbove)
      mine.revertDeletion(for: object, edits)
      mine.becomeCleanIfUnedited()
    } else {
      let isNew = isLone || mine.wasNeverSaved || object.wasNeverSaved
      mine.copyValue(of: object)
      // With a base, the object counts as one that existed above and was deleted there.
      if isNew { mine.forgetBase() } else { mine.keepBase() }
      mine.isNew = isNew
      table.register(mine, .inserted)
    }
    noteChange(mine, in: table)
    if table.isWatched { didChange(mine) }
  }
}
