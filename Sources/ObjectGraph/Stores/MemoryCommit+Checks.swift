// These checks run after all rows are written. A unique value may move from one row to another, and
// a reference may lead to a row that is written later.

extension MemoryCommit {
  /// Checks that no written row has the same values in the columns of a rule as another row.
  func checkUniqueness(of writes: [Write], before: MemoryTables) throws {
    for (entity, touched) in news.touched {
      for rule in tables.model.layouts[entity].uniqueRules {
        let isBroken = touched.contains { id in
          tables[entity, id].flatMap(rule.key).map { tables.count(of: entity, rule, $0) > 1 }
            ?? false
        }
        guard isBroken else { continue }
        let check = try UniqueCheck(writes, tables.model) { before[$0, $1] }
        if let error = try check.error(holders: before.ids) { throw error }
      }
    }
  }

  /// Checks that all references lead to rows.
  ///
  /// - Throws: An error if a written row refers to a missing row, or if any row refers to a deleted
  ///   row.
  func checkReferences() throws {
    for (entity, touched) in news.touched {
      for id in touched.sorted() { try checkReferences(of: id, entity) }
    }
    for (entity, deleted) in news.deleted {
      for inbound in tables.model.inbound[entity] {
        let orphans = deleted.flatMap {
          tables.ids(of: inbound.entity, whereColumn: inbound.column, is: .integer($0))
        }
        for id in orphans.sorted() { try checkReferences(of: id, inbound.entity) }
      }
    }
  }

  private func checkReferences(of id: Int64, _ entity: Int) throws {
    let model = tables.model
    guard let row = tables[entity, id] else { return }
    for (value, column) in zip(row, model.layouts[entity].columns) {
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
