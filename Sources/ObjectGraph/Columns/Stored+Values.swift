extension Stored {
  /// What a column holds of a value.
  package init<Value: AttributeValue>(_ value: Value) throws {
    let form = Value.attributeForm
    self = try withUnsafePointer(to: value) {
      try form.kind.stored(at: UnsafeRawPointer($0), isOptional: form.isOptional)
    }
  }

  /// The Swift value of a column's.
  package func value<Value: AttributeValue>(as _: Value.Type) throws -> Value {
    let arena = CellArena(capacity: 256)
    // The cell only points to the arena's bytes.
    return try withExtendedLifetime(arena) {
      try withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place in
        guard let start = place.baseAddress else { throw ColumnFault(message: "has no memory") }
        let form = Value.attributeForm
        try form.kind.decode(
          cell(in: arena), isOptional: form.isOptional, into: UnsafeMutableRawPointer(start))
        return start.move()
      }
    }
  }

  /// What a comparison holds of a value; it need not be one that can be saved.
  static func literal(_ value: some AttributeValue) -> Stored {
    if let stored = try? Stored(value) { return stored }
    // More than a column's integer holds, and as a number still more than each of them; or NaN.
    return .real((value as? any BinaryInteger).map { Double($0) } ?? .nan)
  }
}
