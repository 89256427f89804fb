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
    let arena = CellArena(capacity: 256)
    // The cell only points to the arena's bytes.
    return try withExtendedLifetime(arena) {
      try kind.cell(at: base + offset, isOptional: isOptional, in: arena).stored
    }
  }

  /// Ends the life of the property in a struct that is only partly decoded.
  package func destroy(in base: UnsafeMutableRawPointer) {
    let place = base + offset
    if let codec { return codec.destroy(place) }
    switch kind {
    case .string: place.assumingMemoryBound(to: String?.self).deinitialize(count: 1)
    case .data where isOptional: place.assumingMemoryBound(to: Data?.self).deinitialize(count: 1)
    case .data: place.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
    case .url where isOptional: place.assumingMemoryBound(to: URL?.self).deinitialize(count: 1)
    case .url: place.assumingMemoryBound(to: URL.self).deinitialize(count: 1)
    default: break
    }
  }

  /// Gives one struct's property the value of another's.
  package func assign(from source: UnsafeRawPointer, to base: UnsafeMutableRawPointer) {
    let source = source + offset
    let place = base + offset
    switch kind {
    case .custom: codec?.assign(source, place)
    case .string: Self.assign(String?.self, source, place)
    case .data where isOptional: Self.assign(Data?.self, source, place)
    case .data: Self.assign(Data.self, source, place)
    case .url where isOptional: Self.assign(URL?.self, source, place)
    case .url: Self.assign(URL.self, source, place)
    default: place.copyMemory(from: source, byteCount: size)
    }
  }

  private static func assign<T>(
    _: T.Type, _ source: UnsafeRawPointer, _ place: UnsafeMutableRawPointer
  ) {
    place.assumingMemoryBound(to: T.self).pointee = source.assumingMemoryBound(to: T.self).pointee
  }

  /// Whether two structs agree in the property, byte for byte.
  package func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    let one = one + offset
    let other = other + offset
    if codec == nil, kind != .data, kind != .url, memcmp(one, other, size) == 0 { return true }
    switch kind {
    case .string: return Self.sameText(one, other, isOptional: isOptional)
    case .data: return Self.same(Data.self, one, other, isOptional)
    case .url: return Self.same(URL.self, one, other, isOptional)
    case .custom:
      guard let codec, let one = try? codec.encode(one), let other = try? codec.encode(other) else {
        return false
      }
      return one == other
    case .reference: return Self.same(Int64.self, one, other, true)
    case .double: return Self.same(Double.self, one, other, isOptional)
    case .float: return Self.same(Float.self, one, other, isOptional)
    case .date: return Self.same(Date.self, one, other, isOptional)
    default:
      // Two nils whose payload bytes, which say nothing, differ. Only a Bool? has no byte of its own
      // for being nil.
      guard isOptional, kind != .bool else { return false }
      let tag = one.load(fromByteOffset: size - 1, as: UInt8.self)
      return tag != 0 && tag == other.load(fromByteOffset: size - 1, as: UInt8.self)
    }
  }

  private static func same<T: Equatable>(
    _: T.Type, _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ isOptional: Bool
  ) -> Bool {
    isOptional
      ? one.assumingMemoryBound(to: T?.self).pointee
        == other.assumingMemoryBound(to: T?.self).pointee
      : one.assumingMemoryBound(to: T.self).pointee == other.assumingMemoryBound(to: T.self).pointee
  }

  private static func sameText(
    _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, isOptional: Bool
  ) -> Bool {
    // A String? has the layout of a String, with nil as an extra inhabitant.
    let one = one.assumingMemoryBound(to: String?.self).pointee
    let other = other.assumingMemoryBound(to: String?.self).pointee
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
  }
}

extension Stored {
  /// The same value, its bytes in the arena.
  package func cell(in arena: CellArena) -> Cell {
    switch self {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .text(var text):
      return text.withUTF8 { .text(arena.copy(UnsafeRawBufferPointer($0)), $0.count) }
    case .blob(let bytes):
      return bytes.withUnsafeBytes { .blob(arena.copy($0), $0.count) }
    }
  }
}
