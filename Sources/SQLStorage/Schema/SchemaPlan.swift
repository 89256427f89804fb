package import ObjectGraph

/// A plan for changing a store's tables to the program's schema. Changes that need a step of a
/// migration are separate from the other changes.
package struct SchemaPlan {
  /// A change that needs no step of a migration.
  package enum Action: Hashable {
    case create(TableShape)
    case rename(table: String, from: String, to: String)
    case add(table: String, ColumnShape)
    /// A replacement of the table by a table with other constraints, which keeps the rows.
    case rebuild(TableShape)
    case dropIndex(table: String, IndexShape)
    case index(table: String, IndexShape)
  }

  /// The changes to make, in order.
  package private(set) var actions: [Action] = []
  /// The differences between the schemas that need a step of a migration.
  package private(set) var changes: [SchemaChange] = []
  /// Whether constraints of existing columns, such as NOT NULL and references, may become stricter.
  /// This is allowed after steps of the program have run. Otherwise, constraints may only become
  /// looser.
  private let mayTighten: Bool

  /// Creates the plan for changing one schema into another. `formerly` has the former names of
  /// properties, stored under the names of the entity and of the property.
  ///
  /// If a property's former name is now the name of another property, the change needs a step,
  /// because the plan cannot decide which of the two properties gets the old values.
  package init(
    from old: SchemaShape, to new: SchemaShape, formerly: [String: [String: String]],
    mayTighten: Bool
  ) {
    self.mayTighten = mayTighten
    for table in old.tables where new.table(table.name) == nil {
      add(table.name, nil, "is no longer in the schema")
    }
    for table in new.tables {
      if let existing = old.table(table.name) {
        compare(existing, table, formerly[table.name] ?? [:])
      } else {
        actions.append(.create(table))
        actions += table.allIndexes.map { .index(table: table.name, $0) }
      }
    }
  }

  private mutating func add(_ entity: String, _ property: String?, _ message: String) {
    changes.append(SchemaChange(entity: entity, property: property, message: message))
  }

  private mutating func compare(
    _ old: TableShape, _ new: TableShape, _ formerly: [String: String]
  ) {
    var existing: [String: ColumnShape] = [:]
    for column in old.columns { existing[column.name] = column }
    var indexes = old.allIndexes
    var mustRebuild = false
    func drop(_ isUnwanted: (IndexShape) -> Bool) {
      actions += indexes.filter(isUnwanted).map { .dropIndex(table: new.name, $0) }
      indexes.removeAll(where: isUnwanted)
    }
    for column in new.columns {
      var before = existing.removeValue(forKey: column.name)
      if before == nil, let name = formerly[column.name], old.column(name) != nil {
        if new.column(name) != nil {
          add(new.name, column.name, "was formerly \(name), but another property has that name now")
        } else if let renamed = existing.removeValue(forKey: name) {
          before = renamed
          drop { $0.properties.contains(name) }
          actions.append(.rename(table: new.name, from: name, to: column.name))
        }
      }
      if let before {
        mustRebuild = needsRebuild(before, column, new.name) || mustRebuild
      } else {
        actions.append(.add(table: new.name, column))
      }
    }
    for name in existing.keys.sorted() { add(new.name, name, "is no longer in the schema") }
    let wanted = new.allIndexes
    drop { !wanted.contains($0) }
    if mustRebuild { actions.append(.rebuild(new)) }
    actions += wanted.filter { !indexes.contains($0) }.map { .index(table: new.name, $0) }
  }

  private mutating func needsRebuild(
    _ old: ColumnShape, _ new: ColumnShape, _ table: String
  ) -> Bool {
    guard new.reads(old) else {
      add(
        table, new.name,
        "was \(old.meaning.isEmpty ? old.storage.lowercased() : old.meaning), is \(new.meaning)")
      return false
    }
    if old.target != new.target, !mayTighten {
      add(
        table, new.name,
        "referred to \(old.target ?? "nothing"), refers to \(new.target ?? "nothing")")
      return false
    }
    if old.isOptional, !new.isOptional, !mayTighten {
      add(table, new.name, "was optional, is not")
      return false
    }
    return old.isOptional != new.isOptional || old.target != new.target
  }
}

extension SchemaPlan.Action: CustomStringConvertible {
  package var description: String {
    switch self {
    case .create(let table): "add \(table.name)"
    case .rename(let table, let from, let to): "rename \(table).\(from) to \(to)"
    case .add(let table, let column): "add \(table).\(column.name)"
    case .rebuild(let table): "change what \(table.name) may hold"
    case .dropIndex(let table, let index): "drop the index of \(table).\(index.name)"
    case .index(let table, let index): "index \(table).\(index.name)"
    }
  }
}
