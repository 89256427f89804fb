// These checks run after all rows are written. A unique value may move from one row to another, and
// a reference may lead to a row that is written later.

extension MemoryCommit {
  /// Checks that no two rows have the same value in a unique column. Nulls count as different.
  ///
  /// - Throws: An error if a written row has the same unique value as another row.
  func checkUniqueness() throws {
    for (entity, touched) in news.touched.sorted(by: { $0.key < $1.key }) {
      let columns = tables.model.layouts[entity].columns
      let unique = columns.indices.filter { columns[$0].isUnique }
      let values = unique.map { column in
        Set(touched.compactMap { tables[entity, $0]?[column] }.filter { !$0.isNull })
      }
      for (column, values) in zip(unique, values) {
        let isTaken = values.contains {
          tables.ids(of: entity, whereColumn: column, is: $0).count > 1
        }
        if isTaken { try refuse(touched, entity, unique) }
      }
    }
  }

  /// Throws an error for the first written row whose unique value another row has too. The error
  /// names all unique properties of the row whose values other rows have.
  private func refuse(_ touched: Set<Int64>, _ entity: Int, _ unique: [Int]) throws {
    let model = tables.model
    let layout = model.layouts[entity]
    for id in touched.sorted() {
      guard let row = tables[entity, id] else { continue }
      let taken: [(column: Int, holder: Int64)] = unique.compactMap { column in
        guard !row[column].isNull else { return nil }
        let holders = tables.ids(of: entity, whereColumn: column, is: row[column])
        // If both rows are written, the one with the higher id is refused.
        let holder = holders.filter { $0 != id && ($0 < id || !touched.contains($0)) }.min()
        return holder.map { (column, $0) }
      }
      guard let first = taken.first else { continue }
      throw GraphError(
        "save \(model.name(entity, id))",
        .notUnique(
          entity: layout.name, properties: taken.map { layout.columns[$0.column].name },
          object: model.name(entity, first.holder)))
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
