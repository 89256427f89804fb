package import ObjectGraph

/// A value and its base, for a write to a store without a context.
package final class ValueSource<Value: Entity>: WriteSource {
  private var value: Value
  private var base: Value

  package init(_ value: Value, base: Value? = nil) {
    self.value = value
    self.base = base ?? value
  }

  package func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows {
    try StructMemory.lend(&value) { value in
      try StructMemory.lend(&base) { try body(value, $0) }
    }
  }
}

extension Write {
  /// Returns a write that inserts a row.
  package static func insert<Value: Entity>(
    _ id: Ref<Value>, _ value: Value, in model: Model
  ) -> Write {
    Write(
      entity: model.index(of: Value.self) ?? -1, id: id.key, kind: .insert, isChecked: true,
      source: ValueSource(value))
  }

  /// Returns a write that updates the named columns from the values of `base` to those of `value`.
  package static func update<Value: Entity>(
    _ id: Ref<Value>, _ columns: [String], from base: Value, to value: Value, checked: Bool = true,
    in model: Model
  ) -> Write {
    var mask = ColumnMask()
    for column in columns.compactMap(Value.layout.column(named:)) { mask.insert(column) }
    return Write(
      entity: model.index(of: Value.self) ?? -1, id: id.key, kind: .update(mask),
      isChecked: checked, source: ValueSource(value, base: base))
  }

  /// Returns a write that deletes a row.
  package static func delete<Value: Entity>(
    _ id: Ref<Value>, _ base: Value, checked: Bool = true, in model: Model
  ) -> Write {
    Write(
      entity: model.index(of: Value.self) ?? -1, id: id.key, kind: .delete, isChecked: checked,
      source: ValueSource(base))
  }
}

extension StoreReader {
  /// Returns the ids of the rows of a query, in the order of the query.
  package func ids(_ query: Query) throws -> [Int64] {
    let cursor = try cursor(query)
    defer { cursor.close() }
    var ids: [Int64] = []
    while let id = try cursor.next() { ids.append(id) }
    return ids
  }

  /// Returns the row with the id as a value; nil if there is no such row.
  package func value<Value: Entity>(_ id: Ref<Value>, in model: Model) throws -> Value? {
    let cells = CellRow(count: Value.layout.columns.count)
    guard let entity = model.index(of: Value.self), try row(id.key, of: entity, into: cells)
    else { return nil }
    return try StructMemory.make(Value.self) { try Value.layout.decode(cells, into: $0) }
  }
}
