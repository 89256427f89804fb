import ObjectGraph

extension Laws {
  /// The state that one context of the library shows.
  struct Sight: Hashable {
    struct Unsaved: Hashable {
      let kind: Changes.ChangeKind
      let properties: [Property]
    }

    var rows: [ID: Row] = [:]
    var changes: [ID: Unsaved] = [:]
    var hasUnsavedChanges = false
    var hasUnsavedChangesBelow = false
    /// The kept objects that the context does not show, with their `isDeleted`. ``hiddenChanges``
    /// has the kinds of their changes.
    var hidden: [ID: Bool] = [:]
    var hiddenChanges: [ID: Changes.ChangeKind] = [:]
  }

  /// The results of one request in one context.
  struct Reads {
    var found: [ID]
    var values: [Row]
    var count: Int
  }

  /// A difference between the library and the laws.
  struct Disagreement: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}

extension Laws.Subject {
  /// Returns the state that a context shows. Retains the context's objects if the program retains
  /// all objects.
  func look(at index: Int) throws -> Laws.Sight {
    let context = contexts[index]
    var sight = Laws.Sight()
    let persons = try context.fetch(Laws.Person.self)
    let teams = try context.fetch(Laws.Team.self)
    for object in persons as [GraphObject] + teams {
      let id = book.id(object.key)
      let changes = object.changes
      sight.rows[id] = book.row(of: object)
      sight.changes[id] = Laws.Sight.Unsaved(
        kind: changes.kind, properties: book.properties(changes.properties))
      if object.isDeleted { throw Laws.Disagreement("a fetch has the deleted object\(id)") }
      if holdsAll {
        if let known = kept[index][id], known !== object, !known.isDeleted,
          known.context === context
        {
          throw Laws.Disagreement("\(Laws.contextNames[index]) has object\(id) twice")
        }
        kept[index][id] = object
      }
    }
    for (id, object) in kept[index] where sight.rows[id] == nil {
      sight.hidden[id] = object.isDeleted
      sight.hiddenChanges[id] = object.changes.kind
    }
    sight.hasUnsavedChanges = context.hasUnsavedChanges
    sight.hasUnsavedChangesBelow = context.hasUnsavedChangesBelow
    return sight
  }

  /// Returns the rows of a context's lists.
  ///
  /// - Throws: A disagreement if one of the lists is stale.
  func listedRows(of index: Int) throws -> [[ID]] {
    try lists[index].map { list in
      let (keys, isStale) = list.rows()
      guard isStale else { return keys.map(book.id) }
      let text = Laws.requests[list.request].text
      throw Laws.Disagreement("\(Laws.contextNames[index])'s list of \(text) is stale")
    }
  }

  /// Checks law 5 for one request: a fetch, a count and values agree with the objects' values.
  func checkReads(
    of index: Int, _ sight: Laws.Sight, asking number: Int, _ fault: Laws.Sabotage?
  ) throws {
    let name = Laws.contextNames[index]
    let request = Laws.requests[number % Laws.requests.count]
    var reads =
      switch request.fetch {
      case .persons(let fetch): try read(fetch, in: contexts[index])
      case .teams(let fetch): try read(fetch, in: contexts[index])
      }
    fault?.spoil(&reads)
    let shown = request.found(in: sight.rows)
    if reads.found != shown {
      throw Laws.Disagreement(
        "\(name).fetch of \(request.text) has objects \(reads.found); "
          + "by what they show it is \(shown)")
    }
    let expected = shown.compactMap { sight.rows[$0] }
    if reads.values != expected {
      throw Laws.Disagreement(
        "\(name).values of \(request.text) are \(reads.values.map { Laws.text($0) }), "
          + "objects show \(expected.map { Laws.text($0) })")
    }
    let all = request.found(in: sight.rows, isLimited: false).count
    if reads.count != all {
      throw Laws.Disagreement("\(name).count of \(request.text) is \(reads.count), not \(all)")
    }
    try checkRelations(of: index, sight)
  }

  private func read<Value: Entity>(
    _ fetch: FetchRequest<Value>, in context: ObjectContext
  ) throws -> Laws.Reads {
    Laws.Reads(
      found: try context.fetch(fetch).map { book.id($0.key) },
      values: try context.values(fetch).compactMap { book.row($0) },
      count: try context.count(fetch))
  }

  private func checkRelations(of index: Int, _ sight: Laws.Sight) throws {
    guard holdsAll else { return }
    for (id, object) in kept[index] {
      guard let row = sight.rows[id] else { continue }
      let name = "\(Laws.contextNames[index]).object\(id)"
      if let team = object as? Object<Laws.Team> {
        let members = sight.rows.filter { !$0.value.isTeam && $0.value[.team] == id }.keys.sorted()
        if team.members.map({ book.id($0.key) }) != members {
          throw Laws.Disagreement(
            "\(name).members are \(team.members.map { book.id($0.key) }), not \(members)")
        }
      } else if let person = object as? Object<Laws.Person> {
        let friend = sight.rows[row[.friend]] == nil ? nil : row[.friend]
        if person.friend.map({ book.id($0.key) }) != friend {
          throw Laws.Disagreement("\(name).friend is not object\(row[.friend])")
        }
      }
    }
  }

  /// Reads the rows of the store in a new context.
  func rowsOfStore() throws -> [ID: Row] {
    let fresh = ObjectContext(store: store)
    var rows: [ID: Row] = [:]
    for person in try fresh.fetch(Laws.Person.self) {
      rows[book.id(person.key)] = book.row(person.value)
    }
    for team in try fresh.fetch(Laws.Team.self) { rows[book.id(team.key)] = book.row(team.value) }
    return rows
  }
}
