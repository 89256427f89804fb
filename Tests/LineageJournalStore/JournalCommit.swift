import ObjectGraph

/// A commit to a journal. It results in an entry and new tables, or throws an error and changes
/// nothing.
struct JournalCommit {
  private(set) var entry: Journal.Entry = []
  /// The tables after the commit.
  private(set) var tables: JournalTables
  private var model: Model { tables.model }

  /// Applies writes to a copy of the tables.
  ///
  /// - Throws: `CommitConflict` with all rows that other commits have changed or deleted.
  init(_ writes: [Write], on tables: JournalTables) throws {
    self.tables = tables
    let conflicts = try writes.filter { try isConflict($0) }
    guard conflicts.isEmpty else {
      throw CommitConflict(
        rows: conflicts.map {
          ConflictingRow(entity: $0.entity, id: $0.id, theirs: tables[$0.entity, $0.id])
        })
    }
    var left: [Row: [StoredValue]?] = [:]
    for write in writes { if case .delete = write.kind { left[Row(write)] = .some(nil) } }
    for write in writes {
      if case .update(let mask) = write.kind { left[Row(write)] = try updated(write, mask) }
    }
    for write in writes { if case .insert = write.kind { try insert(write, &left) } }
    entry = left.map { Journal.Change(entity: $0.key.entity, id: $0.key.id, values: $0.value) }
      .sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
    self.tables.apply(entry)
    try checkUniqueness()
    try checkReferences()
  }

  private struct Row: Hashable {
    let entity: Int
    let id: Int64

    init(_ write: Write) { (entity, id) = (write.entity, write.id) }
  }

  // MARK: Writing

  private func isConflict(_ write: Write) throws -> Bool {
    let row = tables[write.entity, write.id]
    let columns = model.layouts[write.entity].columns.indices
    switch write.kind {
    case .insert: return false
    case .update(let mask):
      guard let row else { return true }
      return try write.isChecked
        && columns.contains { try mask.contains($0) && isOther(row[$0], write, $0) }
    case .delete:
      guard write.isChecked else { return false }
      guard let row else { return true }
      return try columns.contains { try isOther(row[$0], write, $0) }
    }
  }

  private func isOther(_ stored: StoredValue, _ write: Write, _ column: Int) throws -> Bool {
    let layout = model.layouts[write.entity]
    guard layout.contestable.contains(column) else { return false }
    return try write.source.withBase { base in
      try layout.columns[column].stored(of: base) != stored
        && !layout.columns[column].holds(stored, base, structSize: layout.size)
    }
  }

  private func updated(_ write: Write, _ mask: ColumnMask) throws -> [StoredValue]? {
    guard var row = tables[write.entity, write.id] else { return nil }
    for column in row.indices where mask.contains(column) {
      row[column] = try value(write, column)
    }
    return row
  }

  private func insert(_ write: Write, _ left: inout [Row: [StoredValue]?]) throws {
    // Nil if this commit deletes the row, whose id is then free again.
    let known = left[Row(write)] ?? tables[write.entity, write.id]
    if known != nil {
      let name = model.name(write.entity, write.id)
      throw GraphError("save \(name)", .idTaken(name))
    }
    left[Row(write)] = try model.layouts[write.entity].columns.indices.map {
      try value(write, $0)
    }
  }

  private func value(_ write: Write, _ column: Int) throws -> StoredValue {
    let column = model.layouts[write.entity].columns[column]
    do {
      return try write.source.withValue { try column.stored(of: $0) }
    } catch let fault as ColumnFault {
      let name = model.name(write.entity, write.id)
      let problem = Problem(column.name, fault.message)
      throw GraphError(
        "save \(name)", .invalid([InvalidObject(object: name, problems: [problem])]))
    }
  }

  // MARK: Checking

  private func checkUniqueness() throws {
    let changes = entry.sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
    for change in changes {
      guard let values = change.values else { continue }
      let layout = model.layouts[change.entity]
      for rule in layout.uniqueRules {
        guard let key = rule.key(of: values) else { continue }
        let holder = tables.all(of: change.entity).map { ($0.id, rule.key(of: $0.values)) }
          .filter { id, other in
            let isWritten = changes.contains { $0.entity == change.entity && $0.id == id }
            return other == key && id != change.id && (id < change.id || !isWritten)
          }
          .map(\.0).min()
        guard let holder else { continue }
        throw GraphError(
          "save \(model.name(change.entity, change.id))",
          .notUnique(
            entity: layout.name, properties: rule.columns.map { layout.columns[$0].name },
            object: model.name(change.entity, holder)))
      }
    }
  }

  private func checkReferences() throws {
    for change in entry {
      if change.values != nil {
        try checkReferences(of: change.id, change.entity)
      } else {
        for inbound in model.inbound[change.entity] {
          for row in tables.all(of: inbound.entity)
          where row.values[inbound.column] == .integer(change.id) {
            try checkReferences(of: row.id, inbound.entity)
          }
        }
      }
    }
  }

  private func checkReferences(of id: Int64, _ entity: Int) throws {
    guard let values = tables[entity, id] else { return }
    for (column, value) in zip(model.layouts[entity].columns, values) {
      guard case .integer(let key) = value, let target = column.target.flatMap(model.index(of:)),
        tables[target, key] == nil
      else { continue }
      throw GraphError(
        "save \(model.name(entity, id))",
        .dangling(
          object: model.name(entity, id), property: column.name, target: model.name(target, key)))
    }
  }
}
