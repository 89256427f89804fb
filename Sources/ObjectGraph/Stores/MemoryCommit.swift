/// A commit to a memory store. Its initializer applies the writes to a copy of the tables, or
/// throws an error.
struct MemoryCommit {
  private(set) var tables: MemoryTables
  private(set) var news = News()
  private var model: Model { tables.model }

  init(_ writes: [Write], on tables: MemoryTables) throws {
    self.tables = tables
    let conflicts = try writes.filter { try isConflict($0) }
    guard conflicts.isEmpty else {
      throw CommitConflict(
        rows: conflicts.map {
          ConflictingRow(entity: $0.entity, id: $0.id, theirs: tables[$0.entity, $0.id])
        })
    }
    for write in writes { if case .delete = write.kind { delete(write) } }
    for write in writes { if case .update(let mask) = write.kind { try update(write, mask) } }
    for write in writes { if case .insert = write.kind { try insert(write) } }
    try checkUniqueness(of: writes, before: tables)
    try checkReferences()
  }

  /// Returns whether the row no longer has the values on which the write is based, because another
  /// commit has changed or deleted it.
  private func isConflict(_ write: Write) throws -> Bool {
    let row = tables[write.entity, write.id]
    let columns = model.layouts[write.entity].columns
    switch write.kind {
    case .insert: return false
    case .update(let mask):
      guard let row else { return true }
      guard write.isChecked else { return false }
      return try columns.indices.contains {
        try mask.contains($0) && isOther(row[$0], write, $0)
      }
    case .delete:
      guard write.isChecked else { return false }
      guard let row else { return true }
      return try columns.indices.contains { try isOther(row[$0], write, $0) }
    }
  }

  /// Returns whether a stored value differs from the value in the write's base, which has the
  /// values from before the edits.
  ///
  /// Both values are compared as Swift values. So a set that is stored in another order is no
  /// conflict, and neither is JSON with an additional member. If a type's `==` ignores a part of
  /// its values, a change of that part is not found.
  private func isOther(_ stored: StoredValue, _ write: Write, _ column: Int) throws -> Bool {
    let layout = model.layouts[write.entity]
    guard layout.contestable.contains(column) else { return false }
    if try stored == base(write, layout.columns[column]) { return false }
    return write.source.withBase {
      !layout.columns[column].holds(stored, $0, structSize: layout.size)
    }
  }

  private mutating func delete(_ write: Write) {
    tables[write.entity, write.id] = nil
    news.deleted[write.entity, default: []].insert(write.id)
  }

  private mutating func update(_ write: Write, _ mask: ColumnMask) throws {
    let columns = model.layouts[write.entity].columns
    if var row = tables[write.entity, write.id] {
      for column in columns.indices where mask.contains(column) {
        row[column] = try value(write, columns[column])
      }
      tables[write.entity, write.id] = row
    }
    news.touched[write.entity, default: []].insert(write.id)
  }

  private mutating func insert(_ write: Write) throws {
    let name = model.name(write.entity, write.id)
    guard tables[write.entity, write.id] == nil else {
      throw GraphError("save \(name)", .idTaken(name))
    }
    let columns = model.layouts[write.entity].columns
    let row = try columns.map { try value(write, $0) }
    tables[write.entity, write.id] = row
    news.deleted[write.entity]?.remove(write.id)
    news.touched[write.entity, default: []].insert(write.id)
  }

  private func value(_ write: Write, _ column: Column) throws -> StoredValue {
    do {
      return try write.source.withValue { try column.stored(of: $0) }
    } catch let fault as ColumnFault {
      let name = model.name(write.entity, write.id)
      let problem = Problem(column.name, fault.message)
      throw GraphError(
        "save \(name)", .invalid([InvalidObject(object: name, problems: [problem])]))
    }
  }

  private func base(_ write: Write, _ column: Column) throws -> StoredValue {
    try write.source.withBase { try column.stored(of: $0) }
  }
}
