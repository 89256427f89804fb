import ObjectGraph

extension Laws {
  /// The ids of a program's numbered objects. The book also converts values of the library to rows,
  /// and rows to values.
  final class Book {
    private(set) var keys: [ID: Int64] = [:]
    private(set) var ids: [Int64: ID] = [:]

    func enter(_ id: ID, _ key: Int64) {
      keys[id] = key
      ids[key] = id
    }
  }
}

extension Laws.Book {
  typealias ID = Laws.ID
  typealias Row = Laws.Row

  /// Returns the number of the object with an id; -1 if there is none.
  func id(_ key: Int64) -> ID { ids[key] ?? -1 }

  private func reference<Target>(_ id: ID) -> Ref<Target>? {
    keys[id].map { Ref(key: $0) }
  }

  func write(_ row: Row, to person: inout Laws.Person) {
    person.points = row[.points]
    person.name = Laws.names[row[.name]]
    person.team = reference(row[.team])
    person.leads = reference(row[.leads])
    person.friend = reference(row[.friend])
  }

  func row(_ value: any Entity) -> Row? {
    if let team = value as? Laws.Team { return row(team) }
    return (value as? Laws.Person).map { row($0) }
  }

  func row(_ team: Laws.Team) -> Row { .team(team.points) }

  func row(_ person: Laws.Person) -> Row {
    Row(cells: [
      person.points, Laws.names.firstIndex(of: person.name) ?? -1,
      person.team.map { id($0.key) } ?? 0, person.leads.map { id($0.key) } ?? 0,
      person.friend.map { id($0.key) } ?? 0,
    ])
  }

  func row(of object: GraphObject) -> Row? {
    if let person = object as? Object<Laws.Person> { return row(person.value) }
    return (object as? Object<Laws.Team>).map { row($0.value) }
  }

  func properties(_ names: [String]) -> [Laws.Property] {
    Laws.Property.allCases.filter { names.contains("\($0)") }
  }

  func clash(_ conflict: Conflict) -> Laws.Clash? {
    guard let base = row(conflict.base) else { return nil }
    return Laws.Clash(
      id: id(conflict.object.key), properties: properties(conflict.properties), base: base,
      mine: conflict.object.isDeleted ? nil : row(conflict.mine),
      theirs: conflict.theirs.flatMap { row($0) })
  }
}
