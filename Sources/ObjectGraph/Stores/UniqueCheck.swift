/// The search for the rule that a commit breaks. All stores name the same rule in their errors: the
/// first broken one in the order of the schema, of the first object in the order of ids. If both
/// objects are in the commit, the one with the higher id breaks the rule.
package struct UniqueCheck {
  private let model: Model
  /// The values of all written rows as they are after the commit; nil for a deleted row.
  private var rows: [Int: [Int64: [StoredValue]?]] = [:]

  /// Prepares the search. The closure returns the values that a row has before the commit.
  package init(
    _ writes: [Write], _ model: Model, row: (_ entity: Int, _ id: Int64) throws -> [StoredValue]?
  ) throws {
    self.model = model
    for write in writes where !model.layouts[write.entity].uniqueRules.isEmpty {
      let columns = model.layouts[write.entity].columns
      var values: [StoredValue]?
      switch write.kind {
      case .delete: break
      case .insert:
        values = try write.source.withValue { value in
          try columns.map { try $0.stored(of: value) }
        }
      case .update(let mask):
        values = try row(write.entity, write.id)
        for column in columns.indices where mask.contains(column) {
          values?[column] = try write.source.withValue { try columns[column].stored(of: $0) }
        }
      }
      // A row may be deleted and inserted again.
      if values != nil || rows[write.entity]?[write.id] == nil {
        rows[write.entity, default: [:]][write.id] = .some(values)
      }
    }
  }

  /// Returns the error for the rule that the commit breaks; nil if it breaks none. The closure
  /// returns the rows that have a rule's values before the commit.
  package func error(
    holders: (_ entity: Int, _ rule: ColumnIndex, _ key: [StoredValue]) throws -> [Int64]
  ) throws -> GraphError? {
    for (entity, written) in rows.sorted(by: { $0.key < $1.key }) {
      let layout = model.layouts[entity]
      var first: [ColumnIndex: [[StoredValue]: Int64]] = [:]
      for (id, values) in written.sorted(by: { $0.key < $1.key }) {
        guard let values else { continue }
        for rule in layout.uniqueRules {
          guard let key = rule.key(of: values) else { continue }
          let others = try holders(entity, rule, key).filter { written[$0] == nil }
          let holder = ([first[rule]?[key]].compactMap(\.self) + others).min()
          guard let holder else {
            first[rule, default: [:]][key] = id
            continue
          }
          return GraphError(
            "save \(model.name(entity, id))",
            .notUnique(
              entity: layout.name, properties: rule.columns.map { layout.columns[$0].name },
              object: model.name(entity, holder)))
        }
      }
    }
    return nil
  }
}
