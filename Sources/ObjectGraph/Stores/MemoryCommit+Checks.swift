// What must hold once all is written; before that, unique values may be handed over from row to
// row, and references may lead to rows that come later.

extension MemoryCommit {
  /// Throws if two rows have the same value in a unique column. Nulls are never the same.
  func checkUniqueness() throws {
    for (entity, touched) in news.touched {
      let layout = tables.model.layouts[entity]
      for (index, column) in layout.columns.enumerated() where column.isUnique {
        let values = Set(touched.compactMap { tables[entity, $0]?[index] }.filter { !$0.isNull })
        let holders = values.flatMap { value in
          tables.ids(of: entity, whereColumn: index, is: value).map { (id: $0, value: value) }
        }
        var owners: [Stored: Int64] = [:]
        for (id, value) in holders.sorted(by: { $0.id < $1.id }) {
          guard let other = owners.updateValue(id, forKey: value) else { continue }
          let (mine, theirs) = touched.contains(id) ? (id, other) : (other, id)
          throw GraphError(
            "save \(tables.model.name(entity, mine))",
            .notUnique(
              entity: layout.name, properties: [column.name],
              object: tables.model.name(entity, theirs)))
        }
      }
    }
  }

  /// Throws if a written row refers to none, or any row to a deleted one.
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

extension Model {
  /// A row as errors name it: `Card/5`.
  package func name(_ entity: Int, _ id: Int64) -> String { "\(layouts[entity].name)/\(id)" }
}
