import Foundation

/// The memory of a whole struct, which its owner passes to a closure.
///
/// The memory is valid only while the closure runs. A ``Field`` accesses one property by its offset
/// and its kind. This is safe because a schema is checked before its first use: its columns cover
/// each stored property of the struct exactly once. Each column has the exact type of the key path
/// that its offset was computed from.
@safe
package struct StructMemory {
  private let start: UnsafeMutableRawPointer

  /// Creates a reference to the memory of a struct. The memory may be uninitialised, but must
  /// outlive the reference.
  @inline(__always)
  package init<Value>(_ place: UnsafeMutablePointer<Value>) {
    unsafe start = UnsafeMutableRawPointer(place)
  }

  /// Creates a reference to the memory of a struct. The memory may be uninitialised, but must
  /// outlive the reference.
  @inline(__always)
  init(_ place: UnsafeMutableRawPointer) { unsafe start = place }

  /// Calls a closure with the memory of a value.
  ///
  /// The value is `inout`, because a generic read would copy it and retain each text in it.
  @inline(__always)
  package static func lend<Value, Result>(
    _ value: inout Value, _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafeMutablePointer(to: &value) { try unsafe body(StructMemory($0)) }
  }

  /// Calls a closure with uninitialised memory of the given size in bytes.
  static func lend<Result>(
    size: Int, _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
    defer { unsafe memory.deallocate() }
    return try unsafe body(StructMemory(memory))
  }

  /// Returns the value that a closure initialises in memory. If the closure throws, it must leave
  /// the memory uninitialised.
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

  /// Returns whether two structs have the same first `size` bytes.
  @inline(__always)
  func isIdentical(to other: StructMemory, size: Int) -> Bool {
    unsafe memcmp(start, other.start, size) == 0
  }

  /// Returns the memory of the property at an offset.
  @inline(__always)
  fileprivate func property(at offset: Int) -> PropertyMemory {
    unsafe PropertyMemory(start: start + offset)
  }
}

/// The memory of one property of a struct, which is valid as long as the memory of the struct.
///
/// The functions do not check the type that they receive. This is safe because only a ``Field`` and
/// a ``ColumnCodec`` call them, and both pass the property's exact type. The property belongs to a
/// struct with a checked schema, or is a single value whose type and form were compared.
@safe
struct PropertyMemory {
  fileprivate let start: UnsafeMutableRawPointer

  /// Initialises the property.
  @inline(__always)
  func initialize<Value>(to value: Value) {
    unsafe start.initializeMemory(as: Value.self, to: value)
  }

  /// Returns a copy of the property.
  @inline(__always)
  func value<Value>(as _: Value.Type) -> Value {
    unsafe start.assumingMemoryBound(to: Value.self).pointee
  }

  /// Replaces the value of the property.
  @inline(__always)
  func set<Value>(_ value: Value) {
    unsafe start.assumingMemoryBound(to: Value.self).pointee = value
  }

  /// Replaces the value of the property with the value of another property.
  @inline(__always)
  func assign<Value>(_: Value.Type, from source: PropertyMemory) {
    unsafe start.assumingMemoryBound(to: Value.self).pointee =
      source.start.assumingMemoryBound(to: Value.self).pointee
  }

  /// Copies the bytes of another property. The type must be plain; see ``ColumnValue/isPlain``.
  @inline(__always)
  func copyBytes<Value>(of _: Value.Type, from source: PropertyMemory) {
    unsafe start.copyMemory(from: source.start, byteCount: MemoryLayout<Value>.size)
  }

  /// Deinitialises the property.
  @inline(__always)
  func deinitialize<Value>(_: Value.Type) {
    unsafe start.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }

  /// Returns whether two properties have the same first `size` bytes.
  @inline(__always)
  func isIdentical(to other: PropertyMemory, size: Int) -> Bool {
    unsafe memcmp(start, other.start, size) == 0
  }
}

/// The position and the kind of a property in its struct. A field contains no references, so loops
/// over rows need no reference counting.
package struct Field: Sendable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// The number of bytes from the start of the struct.
  package let offset: Int
  package let size: Int
}

extension Field {
  /// Returns the field of a value that is not a property of a struct.
  ///
  /// - Throws: An error if the type's `attributeForm` is that of another type.
  static func alone<Value: AttributeValue>(_: Value.Type) throws(ColumnFault) -> Field {
    let form = Value.attributeForm
    guard form.describes(Value.self) else {
      throw ColumnFault(message: "is a \(Value.self), which has the attributeForm of another type")
    }
    return Field(
      kind: form.kind, isOptional: form.isOptional, offset: 0, size: MemoryLayout<Value>.size)
  }

  /// Initialises the property in a struct from a cell. If decoding throws, the property stays
  /// uninitialised.
  @inline(__always)
  func decode(_ cell: ColumnCell, into memory: StructMemory) throws(ColumnFault) {
    try kind.decode(cell, isOptional: isOptional, into: memory.property(at: offset))
  }

  /// Returns a cell of the property of a struct. The arena owns the cell's bytes.
  @inline(__always)
  func cell(of memory: StructMemory, in arena: CellArena) throws(ColumnFault) -> ColumnCell {
    try kind.cell(at: memory.property(at: offset), isOptional: isOptional, in: arena)
  }

  /// Returns the stored form of the property of a struct. The stored form owns its bytes.
  func stored(of memory: StructMemory) throws(ColumnFault) -> StoredValue {
    try kind.stored(at: memory.property(at: offset), isOptional: isOptional)
  }

  /// Deinitialises the property in a struct.
  func destroy(in memory: StructMemory) {
    kind.destroy(at: memory.property(at: offset), isOptional: isOptional)
  }

  /// Replaces the property of one struct with the property of another.
  func assign(from source: StructMemory, to memory: StructMemory) {
    kind.assign(
      from: source.property(at: offset), to: memory.property(at: offset), isOptional: isOptional)
  }

  /// Returns whether the property has the same bytes in two structs. If it has, the two values are
  /// equal, whatever their type.
  @inline(__always)
  func isIdentical(_ one: StructMemory, _ other: StructMemory) -> Bool {
    one.property(at: offset).isIdentical(to: other.property(at: offset), size: size)
  }

  /// Returns whether the property has the same value in two structs, even if its bytes differ.
  func isEqual(_ one: StructMemory, _ other: StructMemory) -> Bool {
    kind.isSame(one.property(at: offset), other.property(at: offset), isOptional: isOptional)
  }

  /// Returns the id to which the property of a struct refers. The property must be a reference.
  @inline(__always)
  func target(in memory: StructMemory) -> Int64? {
    assert(kind == .reference, "only a reference has a target")
    return memory.property(at: offset).value(as: Int64?.self)
  }

  /// Makes the property of a struct refer to an id. The property must be a reference.
  func setTarget(_ key: Int64?, in memory: StructMemory) {
    assert(kind == .reference, "only a reference has a target")
    memory.property(at: offset).set(key)
  }
}

extension ColumnCodec {
  /// Initialises the property of a struct from a cell. If decoding throws, the property stays
  /// uninitialised.
  func decode(_ cell: ColumnCell, into memory: StructMemory, _ field: Field) throws {
    try decode(cell, memory.property(at: field.offset))
  }

  /// Returns the stored form of the property of a struct.
  func encode(_ memory: StructMemory, _ field: Field) throws -> StoredValue {
    try encode(memory.property(at: field.offset))
  }

  /// Deinitialises the property in a struct.
  func destroy(in memory: StructMemory, _ field: Field) {
    destroy(memory.property(at: field.offset))
  }

  /// Replaces the property of one struct with the property of another.
  func assign(from source: StructMemory, to memory: StructMemory, _ field: Field) {
    assign(source.property(at: field.offset), memory.property(at: field.offset))
  }

  /// Returns whether the properties of two structs are equal by `==`. Returns false for raw values
  /// and for types without `==`, which the codec cannot compare.
  func isSame(_ one: StructMemory, _ other: StructMemory, _ field: Field) -> Bool {
    isSame?(one.property(at: field.offset), other.property(at: field.offset)) ?? false
  }
}
