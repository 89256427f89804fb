import ObjectGraph
import SQLStorage

extension WriteStatements {
  /// Commits all writes in one transaction. Also posts earlier commits of other processes to the
  /// inboxes, even if this commit fails.
  func commit(
    _ writes: [Write], _ receipts: [Receipt], _ tracker: CommitTracker, from inbox: Inbox?,
    resolving: ConflictResolver?
  ) throws {
    var writes = writes
    func attempt(isCareful: Bool) throws {
      // Until the transaction ends, no other connection can commit.
      try connection.kept("BEGIN IMMEDIATE").run()
      do {
        try tracker.lookWhileWriting(connection)
        writes = try run(writes, isCareful: isCareful, resolving)
        if !receipts.isEmpty { try ReceiptTable.write(receipts, connection) }
        let isAlone = connection.presence?.isAlone ?? false
        let generation = isAlone ? nil : try log(writes, tracker)
        try tracker.committing(generation, on: connection, News(writes), from: inbox) {
          try end(writes)
        }
      } catch {
        // A full disk may have ended the transaction already. This does nothing then.
        connection.rollBack()
        throw error
      }
    }
    do {
      try attempt(isCareful: false)
    } catch let fault as SQLiteFault where fault.isConstraint {
      // The second attempt writes one row after the other, so that the error names the object.
      try attempt(isCareful: true)
    }
  }

  /// Writes all rows. If there are conflicts, the closure `resolving` resolves them and returns other
  /// writes. No other transaction can write between the attempts.
  private func run(
    _ writes: [Write], isCareful: Bool, _ resolving: ConflictResolver?
  ) throws -> [Write] {
    func row(_ entity: Int, _ id: Int64) throws -> [StoredValue]? {
      try connection.rows(tables[entity].selectRow, [.integer(id)]).first
    }
    return try CommitConflict.retrying(writes, by: resolving, row) { writes in
      if resolving != nil { try connection.run("SAVEPOINT lineage") }
      var commit = Commit(writes, self, isCareful: isCareful)
      do {
        try commit.run()
      } catch let conflict as CommitConflict {
        if resolving != nil { try connection.run("ROLLBACK TO lineage; RELEASE lineage") }
        throw conflict
      }
      if resolving != nil { try connection.run("RELEASE lineage") }
      return writes
    }
  }

  /// Adds the changed ids to the log for other processes, and removes old entries. Returns the
  /// entry's number.
  ///
  /// It is called only while another process has the file open. A process that opens the file later
  /// reads the new rows and needs no entry.
  private func log(_ writes: [Write], _ tracker: CommitTracker) throws -> Int64 {
    let packed = ChangedIDs.pack(writes, tracker.model)
    let statement = try connection.kept("INSERT INTO lineage_log (writer, changes) VALUES (?1, ?2)")
    try statement.bind(tracker.writer, at: 1)
    try statement.bind(packed.map(StoredValue.blob) ?? .null, at: 2)
    try statement.run()
    let generation = connection.handle.lastInsertedID
    guard generation % 64 == 0 else { return generation }
    let trim = try connection.kept("DELETE FROM lineage_log WHERE generation <= ?1")
    try trim.bind(generation - 256, at: 1)
    try trim.run()
    return generation
  }

  private func end(_ writes: [Write]) throws {
    do {
      try connection.kept("COMMIT").run()
    } catch let fault as SQLiteFault where fault.isForeignKey {
      throw try dangling(writes) ?? fault
    }
  }

  /// Returns the error for a reference to a missing row; nil if there is no such reference. The
  /// transaction must still be open.
  private func dangling(_ writes: [Write]) throws -> GraphError? {
    for write in writes {
      let table = tables[write.entity]
      let object = table.object(write.id)
      if case .delete = write.kind {
        if let error = try orphan(of: write.id, table) { return error }
        continue
      }
      for column in table.columns {
        guard let target = column.target?.layout.name else { continue }
        let name = quoted(column.name)
        let found = try connection.value(
          "SELECT \(name) FROM \(quoted(table.name)) WHERE id = ?1 AND \(name) IS NOT NULL"
            + " AND NOT EXISTS (SELECT 1 FROM \(quoted(target)) AS t"
            + " WHERE t.id = \(quoted(table.name)).\(name))",
          [.integer(write.id)])
        if case .integer(let id) = found {
          return GraphError(
            "save \(object)",
            .dangling(object: object, property: column.name, target: "\(target)/\(id)"))
        }
      }
    }
    return nil
  }

  /// Returns the error for a row that still refers to a deleted row; nil if there is none.
  private func orphan(of id: Int64, _ deleted: FileTable) throws -> GraphError? {
    guard try connection.rows(deleted.selectRow, [.integer(id)]).isEmpty else { return nil }
    for table in tables {
      for column in table.columns where column.target?.layout.name == deleted.name {
        let found = try connection.value(
          "SELECT id FROM \(quoted(table.name)) WHERE \(quoted(column.name)) = ?1",
          [.integer(id)])
        if case .integer(let owner) = found {
          let object = table.object(owner)
          return GraphError(
            "save \(object)",
            .dangling(object: object, property: column.name, target: deleted.object(id)))
        }
      }
    }
    return nil
  }
}
