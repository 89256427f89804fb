extension StoredValue {
  /// The value as a column keeps it.
  package init<Value: AttributeValue>(_ value: Value) throws {
    var value = value
    self = try StructMemory.lend(&value) { try Field.alone(Value.self).stored(of: $0) }
  }

  /// Returns the Swift value that a column keeps.
  package func value<Value: AttributeValue>(as _: Value.Type) throws -> Value {
    let arena = CellArena(capacity: 256)
    // The cell only points to the arena's bytes.
    return try withExtendedLifetime(arena) {
      let cell = cell(in: arena)
      return try StructMemory.make(Value.self) {
        try Field.alone(Value.self).decode(cell, into: $0)
      }
    }
  }

  /// Returns a value as a comparison has it, also one that cannot be saved.
  static func literal<Value: AttributeValue>(_ value: Value) -> StoredValue {
    if let stored = try? StoredValue(value) { return stored }
    switch Value.attributeForm.kind.order {
    // No decimal number has this text, so that a fetch refuses it.
    case .decimals: return .text("NaN")
    // More than a column's integer holds, and as a number still more than each of them; or NaN.
    case .numbers, .texts, .bytes, .none:
      return .real((value as? any BinaryInteger).map { Double($0) } ?? .nan)
    }
  }
}
