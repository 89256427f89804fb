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
        try run(&writes, tracker.model, isCareful: isCareful, resolving)
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

  /// Writes all rows of another store in one transaction, and takes the store's id.
  func fill(with contents: StoreContents, _ tracker: CommitTracker) throws {
    try connection.kept("BEGIN IMMEDIATE").run()
    do {
      try tracker.lookWhileWriting(connection)
      for table in tables {
        let found = try connection.value("SELECT 1 FROM \(quoted(table.name)) LIMIT 1")
        guard found.isNull else { throw GraphError.isFilled }
      }
      try contents.forEachBatch { writes in
        var commit = Commit(
          statements: self, model: tracker.model, writes: writes, isCareful: false)
        try commit.run()
      }
      try connection.run(
        "UPDATE lineage_store SET value = ?1 WHERE key = 'id'", [.text(contents.id)])
      try connection.run(
        "INSERT INTO lineage_log (writer) VALUES (?1)", [.integer(tracker.writer)])
      let generation = connection.handle.lastInsertedID
      try tracker.committing(
        generation, on: connection, News(isEverything: true), from: nil
      ) { try connection.kept("COMMIT").run() }
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Writes all rows. If there are conflicts, the closure `resolving` resolves them and returns other
  /// writes, which replace the first ones also if they cannot be written. No other transaction can
  /// write between the attempts.
  private func run(
    _ writes: inout [Write], _ model: Model, isCareful: Bool, _ resolving: ConflictResolver?
  ) throws {
    try CommitConflict.retrying(writes, by: resolving, row) { attempted in
      writes = attempted
      // The end of the transaction also ends the savepoint.
      if resolving != nil || isCareful { try connection.run("SAVEPOINT lineage") }
      var commit = Commit(statements: self, model: model, writes: attempted, isCareful: isCareful)
      do {
        try commit.run()
      } catch let conflict as CommitConflict {
        if resolving != nil { try connection.run("ROLLBACK TO lineage") }
        throw conflict
      }
    }
  }

  /// Adds the changed ids to the log for other processes, and removes old entries. Returns the
  /// entry's number.
  ///
  /// It is called only while another process has the file open. A process that opens the file later
  /// reads the new rows and needs no entry.
  private func log(_ writes: [Write], _ tracker: CommitTracker) throws -> Int64 {
    let packed = ChangedIDs.pack(writes, tracker.model)
    try connection.run(
      "INSERT INTO lineage_log (writer, changes) VALUES (?1, ?2)",
      [.integer(tracker.writer), packed.map(StoredValue.blob) ?? .null])
    let generation = connection.handle.lastInsertedID
    if generation % 64 == 0 {
      try connection.run(
        "DELETE FROM lineage_log WHERE generation <= ?1", [.integer(generation - 256)])
    }
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
    func error(_ object: String, _ property: Column, _ target: String) -> GraphError {
      GraphError(
        "save \(object)", .dangling(object: object, property: property.name, target: target))
    }
    for write in writes {
      let table = tables[write.entity]
      let object = table.object(write.id)
      if case .delete = write.kind {
        // A row may still refer to the deleted one.
        guard try row(write.entity, write.id) == nil else { continue }
        for other in tables {
          for column in other.columns where column.target?.layout.name == table.name {
            let owner = try connection.value(
              "SELECT id FROM \(quoted(other.name)) WHERE \(quoted(column.name)) = ?1",
              [.integer(write.id)])
            if let id = owner.integer { return error(other.object(id), column, object) }
          }
        }
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
        if let id = found.integer { return error(object, column, "\(target)/\(id)") }
      }
    }
    return nil
  }
}
