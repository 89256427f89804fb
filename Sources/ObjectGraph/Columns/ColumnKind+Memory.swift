import Foundation

// `perform` runs an operation with the Swift type of the kind's values. Custom columns have various
// types, so each custom column has a ``ColumnCodec`` instead.

/// An operation on memory that contains a value of a kind's Swift type, or an optional of that
/// type.
private protocol MemoryOperation<Result, Failure> {
  associatedtype Result
  associatedtype Failure: Error
  func run<Value: ColumnValue>(_: Value.Type) throws(Failure) -> Result
}

extension ColumnKind {
  /// Runs an operation with the Swift type of the kind's values.
  ///
  /// Each case of the switch names its type in the code, so that the runtime need not look up the
  /// type.
  @inline(__always)
  private func perform<Body: MemoryOperation>(
    _ body: Body
  ) throws(Body.Failure) -> Body.Result {
    switch self {
    case .bool: return try body.run(Bool.self)
    case .int: return try body.run(Int.self)
    case .int8: return try body.run(Int8.self)
    case .int16: return try body.run(Int16.self)
    case .int32: return try body.run(Int32.self)
    case .int64, .reference: return try body.run(Int64.self)
    case .uint: return try body.run(UInt.self)
    case .uint8: return try body.run(UInt8.self)
    case .uint16: return try body.run(UInt16.self)
    case .uint32: return try body.run(UInt32.self)
    case .uint64: return try body.run(UInt64.self)
    case .double: return try body.run(Double.self)
    case .float: return try body.run(Float.self)
    case .decimal: return try body.run(Decimal.self)
    case .string: return try body.run(String.self)
    case .data: return try body.run(Data.self)
    case .date: return try body.run(Date.self)
    case .uuid: return try body.run(UUID.self)
    case .url: return try body.run(URL.self)
    case .custom: preconditionFailure("a custom column goes through its codec")
    }
  }

  /// The Swift type of the kind's values. The kind must not be `custom`.
  var valueType: any ColumnValue.Type { perform(Typing()) }

  /// Initialises memory from a cell. If decoding throws, the memory stays uninitialised.
  func decode(
    _ cell: ColumnCell, isOptional: Bool, into place: PropertyMemory
  ) throws(ColumnFault) {
    if cell.form == .null {
      guard isOptional else { throw ColumnFault(message: "is null") }
      perform(InitialisingNil(place: place))
    } else {
      try perform(Decoding(cell: cell, isOptional: isOptional, place: place))
    }
  }

  /// Returns a cell of the value in memory. The arena owns the cell's bytes.
  func cell(
    at place: PropertyMemory, isOptional: Bool, in arena: CellArena
  ) throws(ColumnFault) -> ColumnCell {
    try perform(Encoding(place: place, isOptional: isOptional, arena: arena))
  }

  /// Returns the stored form of the value in memory. The stored form owns its bytes.
  func stored(
    at place: PropertyMemory, isOptional: Bool
  ) throws(ColumnFault) -> StoredValue {
    try perform(Storing(place: place, isOptional: isOptional))
  }

  /// Deinitialises the value in memory.
  func destroy(at place: PropertyMemory, isOptional: Bool) {
    perform(Destroying(place: place, isOptional: isOptional))
  }

  /// Replaces the value in memory with a copy of the value at `source`.
  func assign(
    from source: PropertyMemory, to place: PropertyMemory, isOptional: Bool
  ) {
    perform(Assigning(source: source, place: place, isOptional: isOptional))
  }

  /// Returns whether two values in memory would be the same in a column, even if their bytes in
  /// memory differ.
  func isSame(_ one: PropertyMemory, _ other: PropertyMemory, isOptional: Bool) -> Bool {
    perform(Comparing(one: one, other: other, isOptional: isOptional))
  }
}

private struct Typing: MemoryOperation {
  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) -> any ColumnValue.Type { Value.self }
}

private struct InitialisingNil: MemoryOperation {
  let place: PropertyMemory

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) {
    place.initialize(to: Value?.none)
  }
}

private struct Decoding: MemoryOperation {
  let cell: ColumnCell
  let isOptional: Bool
  let place: PropertyMemory

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) throws(ColumnFault) {
    guard let value = Value.value(of: cell) else { throw cell.misfit }
    if isOptional {
      place.initialize(to: Value?.some(value))
    } else {
      place.initialize(to: value)
    }
  }
}

private struct Encoding: MemoryOperation {
  let place: PropertyMemory
  let isOptional: Bool
  let arena: CellArena

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) throws(ColumnFault) -> ColumnCell {
    guard let value = load(Value.self, at: place, isOptional) else { return .null }
    return try Value.cell(of: value, in: arena)
  }
}

private struct Storing: MemoryOperation {
  let place: PropertyMemory
  let isOptional: Bool

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) throws(ColumnFault) -> StoredValue {
    guard let value = load(Value.self, at: place, isOptional) else { return .null }
    return try Value.stored(value)
  }
}

private struct Destroying: MemoryOperation {
  let place: PropertyMemory
  let isOptional: Bool

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) {
    guard !Value.isPlain else { return }
    if isOptional {
      place.deinitialize(Value?.self)
    } else {
      place.deinitialize(Value.self)
    }
  }
}

private struct Assigning: MemoryOperation {
  let source: PropertyMemory
  let place: PropertyMemory
  let isOptional: Bool

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) {
    switch (Value.isPlain, isOptional) {
    case (true, true): place.copyBytes(of: Value?.self, from: source)
    case (true, false): place.copyBytes(of: Value.self, from: source)
    case (false, true): place.assign(Value?.self, from: source)
    case (false, false): place.assign(Value.self, from: source)
    }
  }
}

private struct Comparing: MemoryOperation {
  let one: PropertyMemory
  let other: PropertyMemory
  let isOptional: Bool

  @inline(__always)
  func run<Value: ColumnValue>(_: Value.Type) -> Bool {
    switch (load(Value.self, at: one, isOptional), load(Value.self, at: other, isOptional)) {
    case (nil, nil): true
    case (let one?, let other?): Value.isSame(one, other)
    case (nil, _?), (_?, nil): false
    }
  }
}

/// Returns a copy of the value in memory; nil if the property is an optional without a value.
@inline(__always)
private func load<Value>(
  _: Value.Type, at place: PropertyMemory, _ isOptional: Bool
) -> Value? {
  isOptional ? place.value(as: Value?.self) : place.value(as: Value.self)
}

extension ColumnCell {
  /// The error for a cell whose value the property's type cannot represent.
  fileprivate var misfit: ColumnFault {
    @inline(never) get { ColumnFault(message: "is \(described)") }
  }
}
