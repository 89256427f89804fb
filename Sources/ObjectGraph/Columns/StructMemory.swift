import Foundation

/// The memory of a whole struct, which an owner lends to a closure.
///
/// It is valid while that closure runs; nothing keeps it longer. Its properties are reached through
/// a ``Field``, which says where they lie and of what kind they are. This is sound because a schema
/// is used only after its columns were found to cover each stored property of the struct exactly
/// once, with the very types of the key paths from which the offsets came.
@safe
package struct StructMemory {
  fileprivate let start: UnsafeMutableRawPointer

  /// Memory for a struct at a place that outlives its use, initialised or not.
  @inline(__always)
  package init<Value>(_ place: UnsafeMutablePointer<Value>) {
    start = UnsafeMutableRawPointer(place)
  }

  /// Memory for a struct at a place that outlives its use, initialised or not.
  @inline(__always)
  init(_ place: UnsafeMutableRawPointer) { start = place }

  /// Lends the memory of a value to a closure.
  @inline(__always)
  package static func lend<Value, Result>(
    _ value: inout Value, _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try withUnsafeMutablePointer(to: &value) { try body(StructMemory($0)) }
  }

  /// Lends uninitialised memory to a closure.
  static func lend<Result>(
    size: Int, _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
    defer { memory.deallocate() }
    return try body(StructMemory(memory))
  }

  /// Returns a value whose memory a closure has initialised; if it throws, there is none.
  @inline(__always)
  static func make<Value>(
    _: Value.Type, _ initialise: (StructMemory) throws -> Void
  ) throws -> Value {
    try withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place in
      guard let start = place.baseAddress else { throw ColumnFault(message: "has no memory") }
      try initialise(StructMemory(start))
      return start.move()
    }
  }

  /// Whether the first bytes of two structs are the same.
  @inline(__always)
  func isIdentical(to other: StructMemory, size: Int) -> Bool {
    memcmp(start, other.start, size) == 0
  }
}

/// Where a property lies in its struct and how: all that loops over rows need, without references.
package struct Field: Sendable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// Bytes from the start of the struct.
  package let offset: Int
  package let size: Int
}

extension Field {
  /// The field of a value that is in no struct.
  static func alone<Value: AttributeValue>(_: Value.Type) -> Field {
    let form = Value.attributeForm
    return Field(
      kind: form.kind, isOptional: form.isOptional, offset: 0, size: MemoryLayout<Value>.size)
  }

  /// Initialises the property in a struct, or throws and leaves it uninitialised.
  @inline(__always)
  func decode(_ cell: Cell, into memory: StructMemory) throws(ColumnFault) {
    try kind.decode(cell, isOptional: isOptional, into: memory.start + offset)
  }

  /// Returns the cell that keeps the property of a struct; its bytes go to the arena.
  @inline(__always)
  func cell(of memory: StructMemory, in arena: CellArena) throws(ColumnFault) -> Cell {
    try kind.cell(at: memory.start + offset, isOptional: isOptional, in: arena)
  }

  /// Returns the property of a struct as a column keeps it, on its own.
  func stored(of memory: StructMemory) throws(ColumnFault) -> Stored {
    try kind.stored(at: memory.start + offset, isOptional: isOptional)
  }

  /// Ends the life of the property in a struct.
  func destroy(in memory: StructMemory) {
    kind.destroy(at: memory.start + offset, isOptional: isOptional)
  }

  /// Gives one struct's property the value of another's.
  func assign(from source: StructMemory, to memory: StructMemory) {
    kind.assign(from: source.start + offset, to: memory.start + offset, isOptional: isOptional)
  }

  /// Whether the bits are the same, which makes the values the same, whatever their type.
  @inline(__always)
  func isIdentical(_ one: StructMemory, _ other: StructMemory) -> Bool {
    memcmp(one.start + offset, other.start + offset, size) == 0
  }

  /// Whether values whose bits differ are the same nevertheless.
  func isEqual(_ one: StructMemory, _ other: StructMemory) -> Bool {
    kind.isSame(one.start + offset, other.start + offset, isOptional: isOptional)
  }

  /// Returns the id that the property of a struct refers to; only of references.
  @inline(__always)
  func target(in memory: StructMemory) -> Int64? {
    assert(kind == .reference, "only a reference has a target")
    return (memory.start + offset).assumingMemoryBound(to: Int64?.self).pointee
  }

  /// Makes the property of a struct refer to an id; only of references.
  func setTarget(_ key: Int64?, in memory: StructMemory) {
    assert(kind == .reference, "only a reference has a target")
    (memory.start + offset).assumingMemoryBound(to: Int64?.self).pointee = key
  }
}

extension ColumnCodec {
  /// Initialises the property of a struct, or throws and leaves it uninitialised.
  func decode(_ cell: Cell, into memory: StructMemory, _ field: Field) throws {
    try decode(cell, memory.start + field.offset)
  }

  /// Returns the property of a struct as its column keeps it.
  func encode(_ memory: StructMemory, _ field: Field) throws -> Stored {
    try encode(memory.start + field.offset)
  }

  /// Ends the life of the property in a struct.
  func destroy(in memory: StructMemory, _ field: Field) { destroy(memory.start + field.offset) }

  /// Gives one struct's property the value of another's.
  func assign(from source: StructMemory, to memory: StructMemory, _ field: Field) {
    assign(source.start + field.offset, memory.start + field.offset)
  }

  /// Whether the properties of two structs are equal to Swift; false if Swift does not know.
  func isSame(_ one: StructMemory, _ other: StructMemory, _ field: Field) -> Bool {
    isSame?(one.start + field.offset, other.start + field.offset) ?? false
  }
}
