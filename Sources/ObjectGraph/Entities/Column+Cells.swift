import Foundation

// The one place where typed memory is reached by offset. It is sound because a schema is used only
// after its columns were found to cover each stored property of the struct exactly once, with the
// very types of the key paths from which the offsets came.

extension Column {
  /// Initialises the property in the struct that starts at `base`.
  @inline(__always)
  package func decode(_ cell: Cell, into base: UnsafeMutableRawPointer) throws {
    let place = base + offset
    if let codec { return try codec.decode(cell, place) }
    try kind.decode(cell, isOptional: isOptional, into: place)
  }

  /// What a column holds of the property; bytes go to the arena.
  @inline(__always)
  package func cell(of base: UnsafeRawPointer, in arena: CellArena) throws -> Cell {
    let place = base + offset
    if let codec { return try codec.encode(place).cell(in: arena) }
    return try kind.cell(at: place, isOptional: isOptional, in: arena)
  }

  /// What a column holds of the property, on its own.
  package func stored(of base: UnsafeRawPointer) throws -> Stored {
    if let codec { return try codec.encode(base + offset) }
    return try kind.stored(at: base + offset, isOptional: isOptional)
  }

  /// Ends the life of the property in a struct that is only partly decoded.
  package func destroy(in base: UnsafeMutableRawPointer) {
    if let codec { codec.destroy(base + offset) } else { field.destroy(in: base) }
  }

  /// Gives one struct's property the value of another's.
  package func assign(from source: UnsafeRawPointer, to base: UnsafeMutableRawPointer) {
    if let codec {
      codec.assign(source + offset, base + offset)
    } else {
      field.assign(from: source, to: base)
    }
  }

  /// Whether two structs agree in the property, byte for byte.
  package func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    if field.isIdentical(one, other) { return true }
    guard let codec else { return field.isEqual(one, other) }
    guard let one = try? codec.encode(one + offset), let other = try? codec.encode(other + offset)
    else { return false }
    return one == other
  }
}

extension Column {
  /// Whether a row's column still holds a struct's property, though perhaps in other words: JSON
  /// with other spaces or members, a set in another order, a number of more digits than a Float has.
  package func holds(_ stored: Stored, _ base: UnsafeRawPointer, structSize: Int) -> Bool {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, structSize), alignment: 16)
    defer { memory.deallocate() }
    let arena = CellArena(capacity: 256)
    return withExtendedLifetime(arena) {
      guard (try? decode(stored.cell(in: arena), into: memory)) != nil else { return false }
      defer { destroy(in: memory) }
      return isEqual(memory, base) || codec?.isSame?(memory + offset, base + offset) ?? false
    }
  }
}
