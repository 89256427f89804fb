#if Postgres
import ObjectGraph

/// The writes of a commit as statements. Writes of the same kind are in one statement, of at most 1,000
/// rows and 4 MB.
struct WriteBatch {
  private let writes: [Write]
  private let server: Server
  private let arena = CellArena()

  init(_ writes: [Write], _ server: Server) {
    self.writes = writes
    self.server = server
  }

  /// The writes that one statement can take together.
  private struct Group: Hashable {
    enum Kind: Hashable { case delete, update(ColumnMask), insert }
    let entity: Int
    let kind: Kind
    let isChecked: Bool
  }

  private func group(of write: Write) -> Group {
    switch write.kind {
    case .delete: Group(entity: write.entity, kind: .delete, isChecked: write.isChecked)
    case .update(let mask):
      Group(entity: write.entity, kind: .update(mask), isChecked: write.isChecked)
    case .insert: Group(entity: write.entity, kind: .insert, isChecked: false)
    }
  }

  // MARK: Locks

  /// Returns the statements that lock the rows to change, in one order for all commits, so that two of them
  /// never wait for each other. There are none if one statement updates all rows, because it takes them
  /// in the order of their ids itself.
  func locks() -> [ServerStatement] {
    if isOneUpdate { return [] }
    var statements: [ServerStatement] = []
    for table in server.entities {
      var (updates, deletes): ([Int64], [Int64]) = ([], [])
      for write in writes where write.entity == table.entity {
        switch write.kind {
        case .delete: deletes.append(write.id)
        case .update: updates.append(write.id)
        case .insert: break
        }
      }
      for (ids, forDeletion) in [(updates, false), (deletes, true)] where !ids.isEmpty {
        statements += Self.lists(of: ids).map {
          ServerStatement(table.lock(forDeletion: forDeletion), $0)
        }
      }
    }
    // A single row needs no lock of its own.
    return statements.count == 1 && writes.count == 1 ? [] : statements
  }

  /// Whether all writes are updates in one statement. The server looks up each row of the statement's
  /// arrays, because the plan does not depend on their length. Only in a table of few pages may it take
  /// another way, and two commits may then wait for each other: one is repeated.
  private var isOneUpdate: Bool {
    guard let first = writes.first, writes.count <= Self.statementRows, case .update = first.kind
    else { return false }
    let group = group(of: first)
    return writes.allSatisfy { self.group(of: $0) == group }
  }

  /// The greatest number of rows in one statement.
  fileprivate static let statementRows = 1_000

  /// Returns the ids of all rows to change, by entity.
  func ids() -> [(ServerTable, [Int64])] {
    server.entities.compactMap { table in
      let ids = Set(writes.lazy.filter { $0.entity == table.entity }.map(\.id))
      return ids.isEmpty ? nil : (table, ids.sorted())
    }
  }

  static func lists(of ids: [Int64]) -> [ServerParameters] {
    let ids = ids.sorted()
    return stride(from: 0, to: ids.count, by: 10_000).map { start in
      ServerParameters(ids: ids[start...].prefix(10_000))
    }
  }

  // MARK: Writes

  /// Returns the statements that delete, then update, then insert all rows.
  func statements(isChecked: Bool) throws -> [ServerStatement] {
    var order: [Group] = []
    var members: [Group: [Int]] = [:]
    // Most writes have the kind of the write before.
    var run: (group: Group, indices: [Int])?
    func endRun() {
      guard let run else { return }
      if members[run.group] == nil { order.append(run.group) }
      members[run.group, default: []] += run.indices
    }
    for index in writes.indices {
      let group = group(of: writes[index])
      if run?.group == group {
        run?.indices.append(index)
      } else {
        endRun()
        run = (group, [index])
      }
    }
    endRun()
    func rank(_ group: Group) -> Int {
      switch group.kind {
      case .delete: 0
      case .update: 1
      case .insert: 2
      }
    }
    var statements: [ServerStatement] = []
    for wanted in 0..<3 {
      for group in order where rank(group) == wanted {
        let isChecked = isChecked && group.isChecked
        let indices = (members[group] ?? []).sorted { writes[$0].id < writes[$1].id }
        try append(group, indices, isChecked: isChecked, to: &statements)
      }
    }
    return statements
  }

  private func append(
    _ group: Group, _ indices: [Int], isChecked: Bool, to statements: inout [ServerStatement]
  ) throws {
    let table = server.entities[group.entity]
    let (changed, checked): ([Int], [Int])
    switch group.kind {
    case .delete:
      (changed, checked) = (
        [], isChecked ? table.columns.indices.filter(table.contestable.contains) : []
      )
    case .update(let mask):
      changed = table.columns.indices.filter(mask.contains)
      checked = isChecked ? changed.filter(table.contestable.contains) : []
      if changed.isEmpty { return }
    case .insert: (changed, checked) = (Array(table.columns.indices), [])
    }
    if case .update = group.kind, indices.count == 1 {
      let values = try values(of: writes[indices[0]], table, changed, checked)
      statements.append(ServerStatement(table.updateOne(changed, checked: checked), values))
      return
    }
    let sql =
      switch group.kind {
      case .delete: table.delete(checked: isChecked ? checked : nil)
      case .update: table.update(changed, checked: checked)
      case .insert: table.insert
      }
    let counts = group.kind != .insert && (group.kind != .delete || isChecked)
    var rows = RowArrays(table, changed, checked)
    for (position, index) in indices.enumerated() {
      if position + 8 < indices.count { writes[indices[position + 8]].place.prefetch() }
      try rows.add(writes[index], arena)
      guard rows.isFull else { continue }
      statements.append(ServerStatement(sql, rows.parameters(counts: counts)))
      rows = RowArrays(table, changed, checked)
    }
    guard rows.count > 0 else { return }
    statements.append(ServerStatement(sql, rows.parameters(counts: counts)))
  }

  /// Returns the id, the new values and the former values of one row, each as a parameter.
  private func values(
    of write: Write, _ table: ServerTable, _ changed: [Int], _ checked: [Int]
  ) throws -> ServerParameters {
    arena.reset()
    var parameters = ServerParameters()
    parameters.add(.integer(write.id))
    try write.source.lend { value, base in
      for (columns, memory) in [(changed, value), (checked, base ?? value)] {
        for column in columns {
          let cell = try table.cell(column, memory, write, arena)
          parameters.add(cell, as: table.sentTypes[column])
        }
      }
    }
    return parameters
  }
}

/// The values of some rows, column by column.
private struct RowArrays {
  private let table: ServerTable
  private let (changed, checked): ([Int], [Int])
  private var ids = ServerArray(.bigint)
  private var values: [ServerArray]
  private var bases: [ServerArray]

  init(_ table: ServerTable, _ changed: [Int], _ checked: [Int]) {
    self.table = table
    (self.changed, self.checked) = (changed, checked)
    values = changed.map { ServerArray(table.sentTypes[$0]) }
    bases = checked.map { ServerArray(table.sentTypes[$0]) }
  }

  var count: Int { ids.count }

  var isFull: Bool {
    if count >= WriteBatch.statementRows { return true }
    var size = 0
    for array in values { size += array.size }
    for array in bases { size += array.size }
    return size > 4_000_000
  }

  mutating func add(_ write: Write, _ arena: CellArena) throws {
    arena.reset()
    ids.add(write.id)
    try write.source.lend { value, base in
      for (place, column) in changed.enumerated() {
        values[place].add(try table.cell(column, value, write, arena))
      }
      for (place, column) in checked.enumerated() {
        bases[place].add(try table.cell(column, base ?? value, write, arena))
      }
    }
  }

  func parameters(counts: Bool) -> ServerParameters {
    var parameters = ServerParameters()
    parameters.add(ids)
    for array in values + bases { parameters.add(array) }
    if counts { parameters.add(.integer(Int64(count))) }
    return parameters
  }
}

extension ServerTable {
  /// Returns the cell of a column in a struct that is written.
  fileprivate func cell(
    _ column: Int, _ memory: StructMemory, _ write: Write, _ arena: CellArena
  ) throws -> ColumnCell {
    do {
      return try columns[column].cell(of: memory, in: arena)
    } catch {
      let message = (error as? ColumnFault)?.message ?? "\(error)"
      let object = object(write.id)
      throw GraphError(
        "save \(object)",
        .invalid([InvalidObject(object: object, problems: [Problem(columns[column].name, message)])]
        ))
    }
  }
}
#endif
