import Foundation

/// The memory of a whole struct, which an owner lends to a closure.
///
/// It is valid while that closure runs; nothing keeps it longer. Its properties are reached through
/// a ``Field``, which says where they lie and of what kind they are. This is safe because a schema
/// is used only after its columns were found to cover each stored property of the struct exactly
/// once, with the very types of the key paths from which the offsets came.
@safe
package struct StructMemory {
  private let start: UnsafeMutableRawPointer

  /// Memory for a struct at a place that outlives its use, initialised or not.
  @inline(__always)
  package init<Value>(_ place: UnsafeMutablePointer<Value>) {
    unsafe start = UnsafeMutableRawPointer(place)
  }

  /// Memory for a struct at a place that outlives its use, initialised or not.
  @inline(__always)
  init(_ place: UnsafeMutableRawPointer) { unsafe start = place }

  /// Lends the memory of a value to a closure.
  @inline(__always)
  package static func lend<Value, Result>(
    _ value: inout Value, _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafeMutablePointer(to: &value) { try unsafe body(StructMemory($0)) }
  }

  /// Lends uninitialised memory to a closure.
  static func lend<Result>(
    size: Int, _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
    defer { unsafe memory.deallocate() }
    return try unsafe body(StructMemory(memory))
  }

  /// Returns a value whose memory a closure has initialised; if it throws, there is none.
  @inline(__always)
  package static func make<Value>(
    _: Value.Type, _ initialise: (StructMemory) throws -> Void
  ) throws -> Value {
    try unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place in
      guard let start = place.baseAddress else {
        throw ColumnFault(message: "has no memory")
      }
      try unsafe initialise(StructMemory(start))
      return unsafe start.move()
    }
  }

  /// Whether the first bytes of two structs are the same.
  @inline(__always)
  func isIdentical(to other: StructMemory, size: Int) -> Bool {
    unsafe memcmp(start, other.start, size) == 0
  }

  /// The memory of the property at an offset.
  @inline(__always)
  fileprivate func property(at offset: Int) -> PropertyMemory {
    unsafe PropertyMemory(start: start + offset)
  }
}

/// The memory of one property of a struct, as long as the struct's is lent.
///
/// Each function is told the type of the property, which nothing checks. This is safe because only
/// a ``Field`` and a ``ColumnCodec`` reach them, with the one type that the property has: a property
/// of a checked schema, or a value whose own `attributeForm` names its kind.
@safe
struct PropertyMemory {
  fileprivate let start: UnsafeMutableRawPointer

  /// Begins the life of the property.
  @inline(__always)
  func initialize<Value>(to value: Value) {
    unsafe start.initializeMemory(as: Value.self, to: value)
  }

  /// Returns a copy of the property.
  @inline(__always)
  func value<Value>(as _: Value.Type) -> Value {
    unsafe start.assumingMemoryBound(to: Value.self).pointee
  }

  /// Gives the property a value.
  @inline(__always)
  func set<Value>(_ value: Value) {
    unsafe start.assumingMemoryBound(to: Value.self).pointee = value
  }

  /// Gives the property the value of another.
  @inline(__always)
  func assign<Value>(_: Value.Type, from source: PropertyMemory) {
    unsafe start.assumingMemoryBound(to: Value.self).pointee =
      source.start.assumingMemoryBound(to: Value.self).pointee
  }

  /// Gives the property the bytes of another, of a type that is nothing but bytes.
  @inline(__always)
  func copyBytes<Value>(of _: Value.Type, from source: PropertyMemory) {
    unsafe start.copyMemory(from: source.start, byteCount: MemoryLayout<Value>.size)
  }

  /// Ends the life of the property.
  @inline(__always)
  func deinitialize<Value>(_: Value.Type) {
    unsafe start.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }

  /// Whether the first bytes of two properties are the same.
  @inline(__always)
  func isIdentical(to other: PropertyMemory, size: Int) -> Bool {
    unsafe memcmp(start, other.start, size) == 0
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
    try kind.decode(cell, isOptional: isOptional, into: memory.property(at: offset))
  }

  /// Returns the cell that keeps the property of a struct; its bytes go to the arena.
  @inline(__always)
  func cell(of memory: StructMemory, in arena: CellArena) throws(ColumnFault) -> Cell {
    try kind.cell(at: memory.property(at: offset), isOptional: isOptional, in: arena)
  }

  /// Returns the property of a struct as a column keeps it, on its own.
  func stored(of memory: StructMemory) throws(ColumnFault) -> StoredValue {
    try kind.stored(at: memory.property(at: offset), isOptional: isOptional)
  }

  /// Ends the life of the property in a struct.
  func destroy(in memory: StructMemory) {
    kind.destroy(at: memory.property(at: offset), isOptional: isOptional)
  }

  /// Gives one struct's property the value of another's.
  func assign(from source: StructMemory, to memory: StructMemory) {
    kind.assign(
      from: source.property(at: offset), to: memory.property(at: offset), isOptional: isOptional)
  }

  /// Whether the bits are the same, which makes the values the same, whatever their type.
  @inline(__always)
  func isIdentical(_ one: StructMemory, _ other: StructMemory) -> Bool {
    one.property(at: offset).isIdentical(to: other.property(at: offset), size: size)
  }

  /// Whether values whose bits differ are the same nevertheless.
  func isEqual(_ one: StructMemory, _ other: StructMemory) -> Bool {
    kind.isSame(one.property(at: offset), other.property(at: offset), isOptional: isOptional)
  }

  /// Returns the id that the property of a struct refers to; only of references.
  @inline(__always)
  func target(in memory: StructMemory) -> Int64? {
    assert(kind == .reference, "only a reference has a target")
    return memory.property(at: offset).value(as: Int64?.self)
  }

  /// Makes the property of a struct refer to an id; only of references.
  func setTarget(_ key: Int64?, in memory: StructMemory) {
    assert(kind == .reference, "only a reference has a target")
    memory.property(at: offset).set(key)
  }
}

extension ColumnCodec {
  /// Initialises the property of a struct, or throws and leaves it uninitialised.
  func decode(_ cell: Cell, into memory: StructMemory, _ field: Field) throws {
    try decode(cell, memory.property(at: field.offset))
  }

  /// Returns the property of a struct as its column keeps it.
  func encode(_ memory: StructMemory, _ field: Field) throws -> StoredValue {
    try encode(memory.property(at: field.offset))
  }

  /// Ends the life of the property in a struct.
  func destroy(in memory: StructMemory, _ field: Field) {
    destroy(memory.property(at: field.offset))
  }

  /// Gives one struct's property the value of another's.
  func assign(from source: StructMemory, to memory: StructMemory, _ field: Field) {
    assign(source.property(at: field.offset), memory.property(at: field.offset))
  }

  /// Whether the properties of two structs are equal to Swift; false if Swift does not know.
  func isSame(_ one: StructMemory, _ other: StructMemory, _ field: Field) -> Bool {
    isSame?(one.property(at: field.offset), other.property(at: field.offset)) ?? false
  }
}
