import ObjectGraph

/// One commit on its way into the file, inside a transaction that the caller ends.
struct Commit {
  private let statements: WriteStatements
  private let writes: [Write]
  /// One row a statement, so that a failure names its object.
  private let isCareful: Bool
  private var conflicts: [CommitConflict.Row] = []
  /// Rows whose unique values were parked, so that others could take them.
  private var parked: Set<Int> = []

  private var connection: Connection { statements.connection }

  init(_ writes: [Write], _ statements: WriteStatements, isCareful: Bool) {
    self.writes = writes
    self.isCareful = isCareful
    self.statements = statements
  }

  /// Writes all, or throws `CommitConflict` with all rows that somebody else changed.
  mutating func run() throws {
    var deletes: [Int] = []
    var updates: [Int] = []
    var inserts = [[Int]](repeating: [], count: statements.tables.count)
    for (index, write) in writes.enumerated() {
      switch write.kind {
      case .delete: deletes.append(index)
      case .update: updates.append(index)
      case .insert: inserts[write.entity].append(index)
      }
    }
    for index in deletes { try delete(writes[index]) }
    try update(updates)
    guard conflicts.isEmpty else { throw CommitConflict(rows: conflicts) }
    for (entity, indices) in inserts.enumerated() where !indices.isEmpty {
      try insert(indices, into: statements.tables[entity])
    }
  }

  // MARK: Deletes

  private mutating func delete(_ write: Write) throws {
    let statement = try statements.delete(write.entity, isChecked: write.isChecked)
    let table = statements.tables[write.entity]
    statements.arena.reset()
    try statement.bind(write.id, at: 1)
    if write.isChecked {
      try write.source.withBase { base in
        for (index, column) in table.columns.enumerated() {
          try statement.bind(
            try cell(of: column, base, write), at: Int32(index + 2))
        }
      }
    }
    try statement.run()
    if write.isChecked, connection.changes == 0 { try noteConflict(write) }
  }

  // MARK: Updates

  private mutating func update(_ indices: [Int]) throws {
    for (position, index) in indices.enumerated() {
      do {
        try update(index)
      } catch let fault as Fault where fault.isUniqueness {
        guard conflicts.isEmpty else { throw CommitConflict(rows: conflicts) }
        // Perhaps the value is on its way to here from a row that this commit changes later.
        guard !parked.contains(index) else { throw failure(fault, of: writes[index]) }
        try park(indices[position...].filter { writes[$0].entity == writes[index].entity })
        do {
          try update(index)
        } catch let fault as Fault {
          throw failure(fault, of: writes[index])
        }
      }
    }
  }

  private mutating func update(_ index: Int) throws {
    let write = writes[index]
    guard case .update(let mask) = write.kind, !mask.isEmpty else { return }
    let isChecked = write.isChecked && !parked.contains(index)
    let plan = try statements.update(write.entity, mask, isChecked: isChecked)
    let table = statements.tables[write.entity]
    statements.arena.reset()
    let count = plan.columns.count
    try write.source.withValue { value in
      for position in 0..<count {
        try plan.statement.bind(
          try cell(of: table.columns[plan.columns[position]], value, write),
          at: Int32(position + 1))
      }
    }
    try plan.statement.bind(write.id, at: Int32(count + 1))
    if isChecked {
      try write.source.withBase { base in
        for position in 0..<count {
          try plan.statement.bind(
            try cell(of: table.columns[plan.columns[position]], base, write),
            at: Int32(count + 2 + position))
        }
      }
    }
    try plan.statement.run()
    if connection.changes == 0 { try noteConflict(write) }
  }

  /// Gives the unique properties of rows that are still to be updated values that nobody has, so
  /// that rows can take over each other's.
  private mutating func park(_ indices: [Int]) throws {
    for index in indices where !parked.contains(index) {
      let write = writes[index]
      guard case .update(let mask) = write.kind else { continue }
      let table = statements.tables[write.entity]
      let unique = table.uniqueColumns.filter(mask.contains)
      guard !unique.isEmpty else { continue }
      let changed = write.isChecked ? table.columns.indices.filter(mask.contains) : []
      if try parks(write, unique, checking: changed, in: table) {
        parked.insert(index)
      } else {
        try noteConflict(write)
      }
    }
    guard conflicts.isEmpty else { throw CommitConflict(rows: conflicts) }
  }

  private func parks(
    _ write: Write, _ unique: [Int], checking changed: [Int], in table: Table
  ) throws -> Bool {
    let values = unique.enumerated().map {
      "\(quoted(table.columns[$1].name)) = ?\($0 + 2)"
    }.joined(separator: ", ")
    let checks = changed.enumerated().map {
      " AND \(quoted(table.columns[$1].name)) IS ?\($0 + 2 + unique.count)"
    }.joined()
    let statement = try statements.other(
      "UPDATE \(quoted(table.name)) SET \(values) WHERE id = ?1\(checks)")
    for attempt in 0... {
      statements.arena.reset()
      try statement.bind(write.id, at: 1)
      for (position, column) in unique.enumerated() {
        let place = Placeholder.value(table.columns[column], attempt, id: write.id)
        try statement.bind(place.cell(in: statements.arena), at: Int32(position + 2))
      }
      if !changed.isEmpty {
        try write.source.withBase { base in
          for (position, column) in changed.enumerated() {
            try statement.bind(
              try cell(of: table.columns[column], base, write),
              at: Int32(position + 2 + unique.count))
          }
        }
      }
      do {
        try statement.run()
        return connection.changes > 0
      } catch let fault as Fault where fault.isUniqueness && attempt < 10_000 {
        continue
      }
    }
    return false
  }

  // MARK: Inserts

  private func insert(_ indices: [Int], into table: Table) throws {
    var start = 0
    if indices.count >= table.batch, !isCareful {
      let statement = try statements.batch(table)
      while start + table.batch <= indices.count {
        try insert(indices[start..<(start + table.batch)], with: statement, table)
        start += table.batch
      }
    }
    guard start < indices.count else { return }
    let single = try statements.single(table)
    for index in indices[start...] { try insertOne(index, with: single, table) }
  }

  private func insertOne(_ index: Int, with statement: Statement, _ table: Table) throws {
    do {
      try insert(CollectionOfOne(index), with: statement, table)
    } catch let fault as Fault {
      throw failure(fault, of: writes[index])
    }
  }

  @inline(__always)
  private func insert(
    _ indices: some Collection<Int>, with statement: Statement, _ table: Table
  ) throws {
    let arena = statements.arena
    arena.reset()
    var parameter: Int32 = 1
    for index in indices {
      let write = writes[index]
      try statement.bind(write.id, at: parameter)
      parameter += 1
      let count = table.columns.count
      let first = parameter
      try write.source.withValue { value in
        for column in 0..<count {
          try statement.bind(
            try cell(of: table.columns[column], value, write),
            at: first + Int32(truncatingIfNeeded: column))
        }
      }
      parameter += Int32(count)
    }
    try statement.run()
  }

  // MARK: Failures

  @inline(__always)
  private func cell(
    of column: borrowing Column, _ base: UnsafeRawPointer, _ write: Write
  ) throws -> Cell {
    do {
      return try column.cell(of: base, in: statements.arena)
    } catch {
      throw unwritable(column.name, error, write)
    }
  }

  private func unwritable(_ property: String, _ error: any Error, _ write: Write) -> GraphError {
    let message = (error as? ColumnFault)?.message ?? "\(error)"
    let object = statements.tables[write.entity].object(write.id)
    return GraphError(
      "save", .invalid([InvalidObject(object: object, problems: [Problem(property, message)])]))
  }

  private mutating func noteConflict(_ write: Write) throws {
    let table = statements.tables[write.entity]
    let row = try connection.rows(table.selectRow, [.integer(write.id)]).first
    conflicts.append(CommitConflict.Row(entity: write.entity, id: write.id, theirs: row))
  }

  /// The failure of one row's write, naming its object and, where possible, its properties.
  private func failure(_ fault: Fault, of write: Write) -> any Error {
    let table = statements.tables[write.entity]
    let object = table.object(write.id)
    guard connection.isInTransaction else { return fault }
    if fault.isTakenID { return GraphError("save \(object)", .idTaken(object)) }
    if fault.isUniqueness {
      let holders = table.uniqueColumns.map { ($0, holder(of: $0, asWantedBy: write, table)) }
      let taken = holders.filter { $0.1 != nil }
      return GraphError(
        "save \(object)",
        .notUnique(
          entity: table.name, properties: taken.map { table.columns[$0.0].name },
          object: taken.first?.1.map(table.object)))
    }
    if fault.isConstraint {
      return GraphError("save \(object)", .store(code: Int(fault.code), fault.message))
    }
    return fault
  }

  /// Another row that has the value which a write wants.
  private func holder(of column: Int, asWantedBy write: Write, _ table: Table) -> Int64? {
    guard let value = try? write.source.withValue({ try table.columns[column].stored(of: $0) })
    else { return nil }
    let name = quoted(table.columns[column].name)
    let sql = "SELECT id FROM \(quoted(table.name)) WHERE \(name) = ?1 AND id <> ?2"
    guard case .integer(let id)? = try? connection.value(sql, [value, .integer(write.id)]) else {
      return nil
    }
    return id
  }
}

/// Values for unique properties that are about to get others.
private enum Placeholder {
  static func value(_ column: Column, _ attempt: Int, id: Int64) -> Stored {
    if column.isOptional { return .null }
    switch column.storage {
    case .integer: return .integer(-id &- Int64(attempt))
    case .real: return .real(-Double(id) * 1e200 * Double(attempt + 1))
    case .text, .null: return .text("\0lineage \(id) \(attempt)")
    case .blob: return .blob(Array("\0lineage \(id) \(attempt)".utf8))
    }
  }
}
