import Synchronization

/// The rows of a memory store at one time. The type is a struct, so a copy is a snapshot.
struct MemoryTables {
  let model: Model
  /// The rows of each entity, by id.
  private var rows: [SharedMap<Int64, [StoredValue]>]
  /// The index of each column of each entity: the ids of rows, stored under the value of the
  /// column. It is nil unless the column is a reference, unique or indexed. Rows with a null in the
  /// column are left out of the index.
  private var indexes: [[Index?]]
  /// The indexes of each entity's rules over several columns. Rows with a null in one of the columns
  /// are left out.
  private var rules: [[ColumnIndex: SharedMap<[StoredValue], SharedMap<Int64, Bool>>]]
  private let visits: Visits

  private typealias Index = SharedMap<StoredValue, SharedMap<Int64, Bool>>

  /// The number of rows that the store has examined. Tests check it.
  final class Visits: Sendable {
    private let counted = Atomic(0)

    func add(_ count: Int) { counted.add(count, ordering: .relaxed) }

    var count: Int { counted.load(ordering: .relaxed) }
  }

  init(_ model: Model, _ visits: Visits) {
    self.model = model
    self.visits = visits
    rows = Array(repeating: SharedMap(), count: model.layouts.count)
    indexes = model.layouts.map { layout in
      layout.columns.indices.map { column in
        let hasIndex = layout.indexes.contains { $0.columns == [column] }
        return hasIndex || layout.columns[column].kind == .reference ? Index() : nil
      }
    }
    rules = model.layouts.map { layout in
      let rules = layout.uniqueRules.filter { $0.columns.count > 1 }
      return Dictionary(uniqueKeysWithValues: rules.map { ($0, SharedMap()) })
    }
  }

  /// The values of a row; nil if there is no such row.
  subscript(entity: Int, id: Int64) -> [StoredValue]? {
    get {
      visits.add(1)
      return rows[entity][id]
    }
    set {
      let old = rows[entity][id]
      for column in indexes[entity].indices where indexes[entity][column] != nil {
        let (before, after) = (old?[column] ?? .null, newValue?[column] ?? .null)
        guard before != after else { continue }
        if !before.isNull { indexes[entity][column]?.remove(id, from: before) }
        if !after.isNull { indexes[entity][column]?.insert(id, at: after) }
      }
      for rule in rules[entity].keys {
        let (before, after) = (old.flatMap(rule.key), newValue.flatMap(rule.key))
        guard before != after else { continue }
        if let before { rules[entity][rule]?.remove(id, from: before) }
        if let after { rules[entity][rule]?.insert(id, at: after) }
      }
      rows[entity][id] = newValue
    }
  }

  /// Whether there is no row.
  var isEmpty: Bool { rows.allSatisfy { $0.count == 0 } }

  /// Returns the ids of the rows with the given value in a column, in any order.
  func ids(of entity: Int, whereColumn column: Int, is value: StoredValue) -> [Int64] {
    if let index = indexes[entity][column], !value.isNull {
      return index[value]?.all.map(\.key) ?? []
    }
    visits.add(rows[entity].count)
    return rows[entity].all.filter { $0.value[column] == value }.map(\.key)
  }

  /// Returns the number of rows with the given value in a column.
  func count(of entity: Int, whereColumn column: Int, is value: StoredValue) -> Int {
    if let index = indexes[entity][column], !value.isNull { return index[value]?.count ?? 0 }
    return ids(of: entity, whereColumn: column, is: value).count
  }

  /// Returns the ids of the rows that have a rule's values, in any order.
  func ids(of entity: Int, _ rule: ColumnIndex, _ key: [StoredValue]) -> [Int64] {
    if key.count == 1 { return ids(of: entity, whereColumn: rule.columns[0], is: key[0]) }
    return rules[entity][rule]?[key]?.all.map(\.key) ?? []
  }

  /// Returns the number of rows that have a rule's values.
  func count(of entity: Int, _ rule: ColumnIndex, _ key: [StoredValue]) -> Int {
    if key.count == 1 { return count(of: entity, whereColumn: rule.columns[0], is: key[0]) }
    return rules[entity][rule]?[key]?.count ?? 0
  }

  /// Returns all rows that meet a query's condition, in the query's order. The query's limit and
  /// offset are ignored.
  ///
  /// - Throws: `cancelled` if the read is cancelled.
  func matches(_ query: Query, _ cancellation: ReadCancellation) throws -> [MemoryRow] {
    let matcher = try Matcher(query.condition, entity: query.entity, model: model)
    let sorter = try Sorter(query.order, entity: query.entity, model: model)
    let findings = Matcher.Findings()
    var count = 0
    return try sorter.sorted(
      try candidates(query).filter { row in
        count += 1
        if count % 64 == 0, cancellation.isCancelled {
          throw GraphError("fetch \(model.layouts[query.entity].name)", .cancelled)
        }
        return try matcher.matches(row, findings)
      })
  }

  /// Returns the rows that may meet the condition: the rows that an index finds or, without an
  /// index, all rows.
  private func candidates(_ query: Query) throws -> [MemoryRow] {
    if let condition = query.condition, let ids = try ids(condition, query.entity) {
      return ids.compactMap { id in self[query.entity, id].map { row(id, $0) } }
    }
    visits.add(rows[query.entity].count)
    return rows[query.entity].all.map { row($0.key, $0.value) }
  }

  private func row(_ id: Int64, _ values: [StoredValue]) -> MemoryRow {
    MemoryRow(tables: self, id: id, values: values)
  }

  /// Returns the ids of the rows that may meet a condition; nil if no index helps.
  private func ids(_ condition: Condition, _ entity: Int) throws -> [Int64]? {
    switch condition.form {
    case .leaf(.compare(let path, .equal, let value)): return try ids(path, [value], entity)
    case .leaf(.isIn(let path, let values)): return try ids(path, values, entity)
    case .and(let terms):
      var fewest: [Int64]?
      for term in terms {
        // Only leaves are considered. The other terms may themselves consist of many terms.
        guard case .leaf = term.form, let ids = try ids(term, entity) else { continue }
        if ids.count < fewest?.count ?? .max { fewest = ids }
      }
      return fewest
    default: return nil
    }
  }

  private func ids(_ path: PropertyPath, _ values: [StoredValue], _ entity: Int) throws -> [Int64]?
  {
    guard path.relations.isEmpty, !values.contains(where: \.isNull) else { return nil }
    let place = try model.place(path, from: entity)
    let exact = Set(values.compactMap { $0.exactly(as: place.storage) })
    guard let column = place.column else {
      return exact.compactMap { if case .integer(let id) = $0 { id } else { nil } }
    }
    guard let index = indexes[entity][column] else { return nil }
    return exact.flatMap { index[$0]?.all.map(\.key) ?? [] }
  }
}

extension SharedMap where Value == SharedMap<Int64, Bool> {
  fileprivate mutating func insert(_ id: Int64, at key: Key) {
    change(key) { ids in
      if ids == nil { ids = SharedMap<Int64, Bool>() }
      ids?[id] = true
    }
  }

  fileprivate mutating func remove(_ id: Int64, from key: Key) {
    change(key) { ids in
      ids?[id] = nil
      if ids?.count == 0 { ids = nil }
    }
  }
}

/// A row of a memory store, with the tables that contain its related rows.
struct MemoryRow: RowSource {
  let tables: MemoryTables
  let id: Int64
  let values: [StoredValue]

  func stored(column: Int) -> StoredValue { values[column] }

  func row(of entity: Int, id: Int64) -> MemoryRow? {
    tables[entity, id].map { MemoryRow(tables: tables, id: id, values: $0) }
  }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) -> [MemoryRow] {
    tables.ids(of: entity, whereColumn: column, is: .integer(id)).compactMap {
      row(of: entity, id: $0)
    }
  }

  func count(of entity: Int, whereColumn column: Int, refersTo id: Int64) -> Int {
    tables.count(of: entity, whereColumn: column, is: .integer(id))
  }
}
