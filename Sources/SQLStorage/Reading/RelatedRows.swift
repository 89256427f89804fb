import ObjectGraph

/// The rows to which relations of candidates lead. They are fetched before the candidates are tested,
/// level by level: one query for each entity and relation of a level, whatever the number of
/// candidates.
final class RelatedRows {
  private let model: Model
  private var rows: [Int: [Int64: Candidate]] = [:]
  private var members: [Reach.Relation: [Int64: [Candidate]]] = [:]
  private var count = 0

  /// The number of rows above which rows of earlier candidates are forgotten.
  private static let limit = 10_000

  init(_ model: Model) { self.model = model }

  func row(_ id: Int64, of entity: Int) -> Candidate? { rows[entity]?[id] }

  func members(_ relation: Reach.Relation, of id: Int64) -> [Candidate] {
    members[relation]?[id] ?? []
  }

  /// Fetches the rows that tests of some candidates read.
  func fetch(for candidates: [Candidate], _ reach: Reach, _ reader: some SQLReader) throws {
    if count > Self.limit { (rows, members, count) = ([:], [:], 0) }
    var level = [(reach: reach, rows: candidates)]
    while !level.isEmpty {
      try fetchTargets(of: level, reader)
      try fetchMembers(of: level, reader)
      level = level.flatMap(below)
    }
  }

  /// Returns the rows to which the relations of some rows lead, each with what is read of them.
  private func below(
    _ reach: Reach, _ owners: [Candidate]
  ) -> [(reach: Reach, rows: [Candidate])] {
    reach.toOne.map { relation, reach in
      (reach, targets(relation, of: owners).compactMap { row($0, of: relation.entity) })
    }
      + reach.toMany.map { relation, reach in
        (reach, owners.flatMap { members(relation, of: $0.id) })
      }
  }

  /// Returns the ids to which a to-one relation of some rows leads.
  private func targets(_ relation: Reach.Relation, of owners: [Candidate]) -> Set<Int64> {
    var ids: Set<Int64> = []
    for owner in owners {
      if case .integer(let id) = owner.values[relation.column] { ids.insert(id) }
    }
    return ids
  }

  private func fetchTargets(
    of level: [(reach: Reach, rows: [Candidate])], _ reader: some SQLReader
  ) throws {
    var wanted: [Int: Set<Int64>] = [:]
    for (reach, owners) in level {
      for relation in reach.toOne.keys {
        let known = rows[relation.entity] ?? [:]
        wanted[relation.entity, default: []]
          .formUnion(targets(relation, of: owners).filter { known[$0] == nil })
      }
    }
    for (entity, ids) in wanted {
      try forEachRow(of: entity, PropertyPath(name: "id"), isIn: ids.sorted(), reader) {
        rows[entity, default: [:]][$0.id] = $0
      }
    }
  }

  private func fetchMembers(
    of level: [(reach: Reach, rows: [Candidate])], _ reader: some SQLReader
  ) throws {
    var wanted: [Reach.Relation: Set<Int64>] = [:]
    for (reach, owners) in level {
      for relation in reach.toMany.keys {
        let known = members[relation] ?? [:]
        wanted[relation, default: []]
          .formUnion(owners.lazy.map(\.id).filter { known[$0] == nil })
      }
    }
    for (relation, ids) in wanted {
      var found: [Int64: [Candidate]] = [:]
      for id in ids { found[id] = [] }
      let name = model.layouts[relation.entity].columns[relation.column].name
      try forEachRow(of: relation.entity, PropertyPath(name: name), isIn: ids.sorted(), reader) {
        if case .integer(let owner) = $0.values[relation.column] { found[owner]?.append($0) }
      }
      members[relation, default: [:]].merge(found) { $1 }
    }
  }

  /// Calls the closure with each row of an entity that has one of the given ids in a property.
  func forEachRow<Reader: SQLReader>(
    of entity: Int, _ property: PropertyPath, isIn ids: some Collection<Int64>, _ reader: Reader,
    _ body: (Candidate) -> Void
  ) throws {
    let columns = model.layouts[entity].columns.indices
    var rest = Array(ids)[...]
    while !rest.isEmpty {
      // The number of ids for which a statement has room.
      let some = rest.prefix(min(Reader.Dialect.limits.parameters, 5_000))
      rest = rest.dropFirst(some.count)
      let query = Query(
        entity: entity, condition: .isIn(property, some.map(StoredValue.integer)))
      let select = try Select(query, columns: columns, model: model, in: Reader.Dialect.self)
      let found = try reader.rows(select, of: entity)
      defer { found.close() }
      while let id = try found.next() {
        count += 1
        let values = columns.map { found.cell($0 + 1).stored }
        body(Candidate(id: id, values: values, related: self))
      }
    }
  }
}
