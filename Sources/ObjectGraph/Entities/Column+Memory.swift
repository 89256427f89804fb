extension Column {
  /// Initialises the property in a struct from a cell. If decoding throws, the property stays
  /// uninitialised.
  @inline(__always)
  package func decode(_ cell: ColumnCell, into memory: StructMemory) throws {
    if let codec { return try codec.decode(cell, into: memory, field) }
    try field.decode(cell, into: memory)
  }

  /// Returns a cell of the property of a struct. The arena owns the cell's bytes.
  @inline(__always)
  package func cell(of memory: StructMemory, in arena: CellArena) throws -> ColumnCell {
    if let codec { return try codec.encode(memory, field).cell(in: arena) }
    return try field.cell(of: memory, in: arena)
  }

  /// Returns the stored form of the property of a struct. The stored form owns its bytes.
  package func stored(of memory: StructMemory) throws -> StoredValue {
    if let codec { return try codec.encode(memory, field) }
    return try field.stored(of: memory)
  }

  /// Deinitialises the property in a struct.
  package func destroy(in memory: StructMemory) {
    if let codec { codec.destroy(in: memory, field) } else { field.destroy(in: memory) }
  }

  /// Replaces the property of one struct with the property of another.
  package func assign(from source: StructMemory, to memory: StructMemory) {
    if let codec {
      codec.assign(from: source, to: memory, field)
    } else {
      field.assign(from: source, to: memory)
    }
  }

  /// Sets the property of a struct to a stored value. If decoding throws, the property keeps its
  /// value.
  func set(_ stored: StoredValue, in memory: StructMemory, structSize: Int) throws {
    try StructMemory.lend(size: structSize) { decoded in
      let arena = CellArena(capacity: 256)
      try withExtendedLifetime(arena) {
        try decode(stored.cell(in: arena), into: decoded)
        defer { destroy(in: decoded) }
        assign(from: decoded, to: memory)
      }
    }
  }

  /// Returns whether the properties of two structs would be the same in a column.
  package func isEqual(_ one: StructMemory, _ other: StructMemory) -> Bool {
    if field.isIdentical(one, other) { return true }
    guard let codec else { return field.isEqual(one, other) }
    guard let one = try? codec.encode(one, field), let other = try? codec.encode(other, field)
    else { return false }
    return one == other
  }

  /// Returns whether the values of a JSON property in two structs are equal by `==`, even if their
  /// JSON differs. Returns false for other properties, and for types without `==`.
  func isSame(_ one: StructMemory, _ other: StructMemory) -> Bool {
    codec?.isSame(one, other, field) ?? false
  }

  /// Returns whether a row's stored value and the property of a struct are the same value, even if
  /// their forms differ.
  ///
  /// Forms differ, for example, if JSON has other spaces or members, if a set has another order, or
  /// if a number has more digits than a `Float`.
  ///
  /// A store compares the bytes first, and calls this function only if the bytes differ. If a
  /// type's `==` ignores a part of its values, a change of that part is no conflict.
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
