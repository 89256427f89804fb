extension Column {
  /// Initialises the property in a struct, or throws and leaves it uninitialised.
  @inline(__always)
  package func decode(_ cell: Cell, into memory: StructMemory) throws {
    if let codec { return try codec.decode(cell, into: memory, field) }
    try field.decode(cell, into: memory)
  }

  /// Returns the cell that keeps the property of a struct; its bytes go to the arena.
  @inline(__always)
  package func cell(of memory: StructMemory, in arena: CellArena) throws -> Cell {
    if let codec { return try codec.encode(memory, field).cell(in: arena) }
    return try field.cell(of: memory, in: arena)
  }

  /// Returns the property of a struct as its column keeps it, on its own.
  package func stored(of memory: StructMemory) throws -> StoredValue {
    if let codec { return try codec.encode(memory, field) }
    return try field.stored(of: memory)
  }

  /// Ends the life of the property in a struct that is only partly decoded.
  package func destroy(in memory: StructMemory) {
    if let codec { codec.destroy(in: memory, field) } else { field.destroy(in: memory) }
  }

  /// Gives one struct's property the value of another's.
  package func assign(from source: StructMemory, to memory: StructMemory) {
    if let codec {
      codec.assign(from: source, to: memory, field)
    } else {
      field.assign(from: source, to: memory)
    }
  }

  /// Whether two structs agree in the property, byte for byte.
  package func isEqual(_ one: StructMemory, _ other: StructMemory) -> Bool {
    if field.isIdentical(one, other) { return true }
    guard let codec else { return field.isEqual(one, other) }
    guard let one = try? codec.encode(one, field), let other = try? codec.encode(other, field)
    else { return false }
    return one == other
  }

  /// Whether two values of the property are equal to Swift, though they may be written differently;
  /// false if Swift does not know.
  func isSame(_ one: StructMemory, _ other: StructMemory) -> Bool {
    codec?.isSame(one, other, field) ?? false
  }

  /// Whether a row's column still holds a struct's property, though perhaps in other words: JSON
  /// with other spaces or members, a set in another order, a number of more digits than a Float has.
  package func holds(_ stored: StoredValue, _ value: StructMemory, structSize: Int) -> Bool {
    StructMemory.lend(size: structSize) { memory in
      let arena = CellArena(capacity: 256)
      return withExtendedLifetime(arena) {
        guard (try? decode(stored.cell(in: arena), into: memory)) != nil else { return false }
        defer { destroy(in: memory) }
        return isEqual(memory, value) || isSame(memory, value)
      }
    }
  }
}
