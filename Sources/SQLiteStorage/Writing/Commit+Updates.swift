import ObjectGraph
import SQLStorage

extension Commit {
  mutating func update(_ indices: [Int]) throws {
    for (position, index) in indices.enumerated() {
      if position + prefetchDistance < indices.count {
        writes[indices[position + prefetchDistance]].place.prefetch()
      }
      do {
        try update(index)
      } catch var fault as SQLiteFault where fault.isUniqueness {
        let rest = indices[position...]
        // The value may still belong to a row that this commit changes later.
        if conflicts.isEmpty, !withPlaceholder.contains(index),
          try setPlaceholders(rest.filter { writes[$0].entity == writes[index].entity })
        {
          do {
            try update(index)
            continue
          } catch let second as SQLiteFault {
            fault = second
          }
        }
        // A decision about a conflict may free the value.
        try addConflicts(rest)
        throw conflicts.isEmpty
          ? failure(fault, of: writes[index]) : CommitConflict(rows: conflicts)
      }
    }
  }

  private mutating func update(_ index: Int, mayCheck: Bool = true) throws {
    let write = writes[index]
    guard case .update(let mask) = write.kind, !mask.isEmpty else { return }
    let isChecked = mayCheck && write.isChecked && !withPlaceholder.contains(index)
    let statements = statements
    let plan = try statements.update(write.entity, mask, isChecked: isChecked)
    let table = statements.tables[write.entity]
    let statement = plan.statement
    statements.arena.reset()
    let count = plan.columns.count
    try statement.bind(write.id, at: Int32(count + 1))
    try write.source.lend { value, base in
      var check = Int32(count + 2)
      for position in 0..<count {
        let column = plan.columns[position]
        try statement.bind(
          try statements.cell(of: table.columns[column], value, write), at: Int32(position + 1))
        guard isChecked, table.contestable.contains(column) else { continue }
        try statement.bind(
          try statements.cell(of: table.columns[column], base ?? value, write), at: check)
        check += 1
      }
    }
    try statement.run()
    guard connection.handle.changes == 0 else { return }
    guard isChecked, try stillHolds(write, plan.columns) else { return try addConflict(write) }
    try update(index, mayCheck: false)
  }

  /// Returns whether the row's contestable columns still have the base's values, perhaps in another
  /// encoding.
  /// No other transaction can write during the call.
  ///
  /// The write's statement has already compared the stored bytes. This function compares the
  /// decoded values. So a set in another order is no conflict, nor is JSON with an additional
  /// member. If a type's `==` ignores a part of its values, changes of that part are not noticed.
  func stillHolds(_ write: Write, _ columns: [Int]) throws -> Bool {
    let table = statements.tables[write.entity]
    guard let row = try statements.row(write.entity, write.id) else { return false }
    return write.source.withBase { base in
      columns.allSatisfy {
        !table.contestable.contains($0)
          || table.columns[$0].holds(row[$0], base, structSize: table.structSize)
      }
    }
  }

  /// Adds the rows of updates that were not run yet to the conflicts, if others have changed them.
  private mutating func addConflicts(_ indices: ArraySlice<Int>) throws {
    for index in indices where !withPlaceholder.contains(index) {
      if try !stillHolds(writes[index], checkedColumns(writes[index])) {
        try addConflict(writes[index])
      }
    }
  }

  /// Returns the columns that an update compares with its base.
  private func checkedColumns(_ write: Write) -> [Int] {
    guard case .update(let mask) = write.kind, write.isChecked else { return [] }
    let table = statements.tables[write.entity]
    return table.columns.indices.filter(mask.intersection(table.contestable).contains)
  }

  /// Sets unique columns of rows that are not updated yet to placeholders, so that these rows can
  /// exchange their unique values. Returns false if others have changed one of the rows.
  private mutating func setPlaceholders(_ indices: [Int]) throws -> Bool {
    for index in indices where !withPlaceholder.contains(index) {
      let write = writes[index]
      guard case .update(let mask) = write.kind else { continue }
      let table = statements.tables[write.entity]
      let unique = table.uniqueColumns.filter(mask.contains)
      guard !unique.isEmpty else { continue }
      let changed = checkedColumns(write)
      guard
        try setsPlaceholder(write, unique, checking: changed, in: table)
          || (stillHolds(write, changed)
            && setsPlaceholder(write, unique, checking: [], in: table))
      else { return false }
      withPlaceholder.insert(index)
    }
    return true
  }

  private func setsPlaceholder(
    _ write: Write, _ unique: [Int], checking changed: [Int], in table: FileTable
  ) throws -> Bool {
    try Parking.park(
      write, unique, checking: changed, of: quoted(table.name), table.columns,
      in: SQLiteDialect.self
    ) { sql, values in
      do {
        try connection.run(sql, values)
        return connection.handle.changes
      } catch let fault as SQLiteFault where fault.isUniqueness {
        return nil
      }
    }
  }
}
