extension StoredValue {
  /// Creates the stored form of a Swift value.
  package init<Value: AttributeValue>(_ value: Value) throws {
    var value = value
    self = try StructMemory.lend(&value) { try Field.alone(Value.self).stored(of: $0) }
  }

  /// Returns the Swift value of the stored form.
  package func value<Value: AttributeValue>(as _: Value.Type) throws -> Value {
    let arena = CellArena(capacity: 256)
    // The cell points to the arena's bytes, but does not retain the arena.
    return try withExtendedLifetime(arena) {
      let cell = cell(in: arena)
      return try StructMemory.make(Value.self) {
        try Field.alone(Value.self).decode(cell, into: $0)
      }
    }
  }

  /// Returns the stored form of a value with which a filter compares a property. Unlike a saved
  /// value, it may be a value that a column cannot keep, such as not-a-number.
  static func literal<Value: AttributeValue>(_ value: Value) -> StoredValue {
    if let stored = try? StoredValue(value) { return stored }
    let form = Value.attributeForm
    // A property of such a type is kept as JSON, and a fetch refuses to compare it with a text.
    guard form.describes(Value.self) else { return .text("") }
    switch form.kind.order {
    // No decimal number has this text, so a fetch refuses it.
    case .decimals: return .text("NaN")
    // The value is NaN, or an integer that exceeds `Int64`. As a real, such an integer still
    // exceeds all integers of a column.
    case .numbers, .texts, .bytes, .none:
      return .real((value as? any BinaryInteger).map { Double($0) } ?? .nan)
    }
  }
}
