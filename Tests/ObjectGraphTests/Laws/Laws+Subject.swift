import ObjectGraph

extension Laws {
  /// The error that the closure of the policy `refuse` throws.
  struct Refused: Error {}

  /// The subject of a random program: the library, with four contexts on one store.
  final class Subject {
    let store: any ObjectStore
    var contexts: [ObjectContext] = []
    let book = Book()
    /// For each context, the objects that the program retains.
    var kept: [[ID: GraphObject]] = [[:], [:], [:], [:]]
    var lists: [[Follower]] = []
    let holdsAll: Bool
    /// The conflicts for which closures were called in the last step.
    var asked: [Clash] = []
    let faults = Faults()

    init(_ setting: Setting, on store: any ObjectStore) throws {
      self.store = store
      holdsAll = setting.holdsAll
      let maker = ObjectContext(store: store)
      for (index, row) in setting.rows.enumerated() {
        try insert(index + 1, row, in: maker)
      }
      try maker.save()
      let roots = [ObjectContext(store: store), ObjectContext(store: store)]
      let child = roots[0].makeChild()
      contexts = roots + [child, child.makeChild()]
      for (index, context) in contexts.enumerated() {
        context.onError = faults.hear
        if setting.recordsUndo[index] { context.recordsUndo = true }
        lists.append(try setting.lists[index].map { try Follower($0, in: context) })
      }
    }

    /// Creates an object and inserts it.
    @discardableResult
    private func insert(_ id: ID, _ row: Row, in context: ObjectContext) throws -> GraphObject {
      if row.isTeam {
        let object = Object(Team(points: row[.points]))
        book.enter(id, object.key)
        try context.insert(object)
        return object
      }
      var person = Person()
      book.write(row, to: &person)
      let object = Object(person)
      book.enter(id, object.key)
      try context.insert(object)
      return object
    }

    /// Returns a context's object with a number, which is either retained or found by its id; nil
    /// if there is none.
    func object(_ id: ID, _ context: Int) throws -> GraphObject? {
      if let kept = kept[context][id] { return kept }
      guard let key = book.keys[id] else { return nil }
      if let team = try contexts[context].find(Ref<Team>(key: key)) { return team }
      return try contexts[context].find(Ref<Person>(key: key))
    }
  }
}

// MARK: - Steps

extension Laws.Subject {
  typealias ID = Laws.ID
  typealias Row = Laws.Row

  /// Performs a step.
  ///
  /// - Returns: For a merge of a few rows, whether rows are left in the mailbox; nil for other
  ///   steps.
  func perform(_ step: Laws.Step) throws -> Bool? {
    let context = contexts[step.context]
    switch step {
    case .set(let index, let id, let property, let value):
      try set(id, property, value, index)
    case .assign(let index, let id, let row):
      let object = try object(id, index)
      if let team = object as? Object<Laws.Team> { team.value = Laws.Team(points: row[.points]) }
      if let person = object as? Object<Laws.Person> {
        var value = person.value
        book.write(row, to: &value)
        person.value = value
      }
    case .insert(let index, let id, let row):
      let object = try insert(id, row, in: context)
      if holdsAll { kept[index][id] = object }
    case .insertAgain(let index, let id):
      if let object = kept[index][id] { try context.insert(object) }
    case .delete(let index, let id):
      if let object = try object(id, index) { try context.delete(object) }
    case .group(_, let steps):
      try context.group {
        for step in steps { _ = try perform(step) }
      }
    case .undo: context.undo()
    case .redo: context.redo()
    case .discard: context.discard()
    case .save: try context.save()
    case .saveAll: try context.saveAll()
    case .merge: try context.merge()
    case .refresh: try context.refresh()
    case .slice(_, let limit): return try context.merge(upTo: limit)
    case .policy(_, let policy): context.conflictPolicy = conflictPolicy(policy)
    }
    return nil
  }

  private func set(_ id: ID, _ property: Laws.Property, _ value: Int, _ index: Int) throws {
    let object = try object(id, index)
    if let team = object as? Object<Laws.Team> { team.points = value }
    guard let person = object as? Object<Laws.Person> else { return }
    let target = value == 0 ? nil : try self.object(value, index)
    switch property {
    case .points: person.points = value
    case .name: person.name = Laws.names[value]
    case .team: person.team = target as? Object<Laws.Team>
    case .leads: person.leads = target as? Object<Laws.Team>
    case .friend: person.friend = target as? Object<Laws.Person>
    }
  }

  private func conflictPolicy(_ policy: Laws.Policy) -> ConflictPolicy {
    switch policy {
    case .error: .error
    case .mine: .mine
    case .theirs: .theirs
    case .refuse: .resolve { _ in throw Laws.Refused() }
    case .resolve: .resolve { [unowned self] in try decide($0) }
    }
  }

  private func decide(_ conflict: Conflict) throws -> ConflictPolicy.Decision {
    guard let clash = book.clash(conflict) else { throw Laws.Refused() }
    asked.append(clash)
    switch Laws.decide(clash) {
    case .mine: return .mine
    case .theirs: return .theirs
    case .value(let row):
      if row.isTeam { return .value(Laws.Team(points: row[.points])) }
      var person = Laws.Person()
      book.write(row, to: &person)
      return .value(person)
    }
  }
}
