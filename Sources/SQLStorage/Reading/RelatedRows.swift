import ObjectGraph

/// The rows to which relations of candidates lead. They are fetched before the candidates are tested,
/// level by level: one statement for all relations of a level, whatever the number of candidates.
final class RelatedRows {
  /// The place at which rows are found: the ids of an entity, or a column that refers to their owners.
  struct Place: Hashable {
    let entity: Int
    /// The column; nil for the id.
    let column: Int?
  }

  private let model: Model
  private var rows: [Place: [Int64: [Candidate]]] = [:]
  private var count = 0

  /// The number of rows above which rows of earlier candidates are forgotten.
  private static let limit = 10_000

  init(_ model: Model) { self.model = model }

  /// Returns the rows that have an id at a place.
  func rows(_ place: Place, of id: Int64) -> [Candidate] { rows[place]?[id] ?? [] }

  /// Fetches the rows that tests of some candidates read.
  func fetch(for candidates: [Candidate], _ reach: Reach, _ reader: some SQLReader) throws {
    if count > Self.limit { (rows, count) = ([:], 0) }
    var level = [(reach: reach, rows: candidates)]
    while !level.isEmpty {
      let ways = level.flatMap(ways)
      var wanted: [Place: Set<Int64>] = [:]
      for (place, ids, _) in ways {
        let known = rows[place] ?? [:]
        wanted[place, default: []].formUnion(ids.lazy.filter { known[$0] == nil })
      }
      try fetch(wanted, reader)
      level = ways.map { place, ids, reach in (reach, ids.flatMap { rows(place, of: $0) }) }
    }
  }

  /// Returns the places to which the relations of some rows lead, each with the ids that are looked
  /// for there and with what is read of the rows that are found.
  private func ways(
    _ reach: Reach, _ owners: [Candidate]
  ) -> [(place: Place, ids: Set<Int64>, reach: Reach)] {
    reach.toOne.map { relation, reach in
      let ids = owners.compactMap { owner -> Int64? in
        if case .integer(let id) = owner.values[relation.column] { id } else { nil }
      }
      return (Place(entity: relation.entity, column: nil), Set(ids), reach)
    }
      + reach.toMany.map { relation, reach in
        let place = Place(entity: relation.entity, column: relation.column)
        return (place, Set(owners.map(\.id)), reach)
      }
  }

  /// Fetches the rows with the given ids at each place, with as few statements as there is room for.
  private func fetch(_ wanted: [Place: Set<Int64>], _ reader: any SQLReader) throws {
    let room = min(reader.tables.dialect.limits.parameters, 5_000)
    var parts: [(place: Place, ids: ArraySlice<Int64>)] = []
    for (place, ids) in wanted {
      rows[place, default: [:]].merge(ids.map { ($0, []) }) { $1 }
      let ids = ids.sorted()
      for start in stride(from: 0, to: ids.count, by: room) {
        let part = ids[start...].prefix(room)
        // No statement has more than 1,000 columns or 500 queries.
        let width = parts.reduce(columns(place).count) { $0 + 2 + columns($1.place).count }
        if width > 1_000 || parts.reduce(part.count, { $0 + $1.ids.count }) > room {
          try read(parts, reader)
          parts = []
        }
        parts.append((place, part))
      }
    }
    try read(parts, reader)
  }

  private func columns(_ place: Place) -> [Column] { model.layouts[place.entity].columns }

  /// Reads the rows with the given ids at each place by one statement.
  private func read(
    _ parts: [(place: Place, ids: ArraySlice<Int64>)], _ reader: any SQLReader
  ) throws {
    guard let first = parts.first else { return }
    let queries = parts.map { place, ids in
      let name = place.column.map { columns(place)[$0].name } ?? "id"
      return Query(entity: place.entity, name, isIn: ids)
    }
    let select = try Select(queries, tables: reader.tables)
    let found = try reader.rows(select, of: first.place.entity)
    defer { found.close() }
    while let id = try found.next() {
      guard case .integer(let index) = found.cell(1).stored else { continue }
      let place = parts[Int(index)].place
      let start = parts[..<Int(index)].reduce(2) { $0 + columns($1.place).count }
      let values = columns(place).indices.map { found.cell(start + $0).stored }
      let row = Candidate(id: id, values: values, related: self)
      if case .integer(let id) = place.column.map({ values[$0] }) ?? .integer(id) {
        rows[place]?[id]?.append(row)
      }
      count += 1
    }
  }
}
