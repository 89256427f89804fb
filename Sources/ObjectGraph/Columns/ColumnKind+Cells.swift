import Foundation

extension ColumnKind {
  /// Initialises typed memory from a cell, or throws and leaves it uninitialised.
  package func decode(
    _ cell: Cell, isOptional: Bool, into place: UnsafeMutableRawPointer
  ) throws {
    if cell.form == .null {
      guard isOptional else { throw ColumnFault(message: "is null") }
      return initializeNil(place)
    }
    switch self {
    case .int, .int64:
      try Self.put(cell.form == .integer ? cell.integer : nil, isOptional, place, cell)
    case .string:
      guard cell.form == .text else { throw ColumnFault(message: "is \(cell.described)") }
      // A String? has the layout of a String, with nil as an extra inhabitant.
      place.initializeMemory(as: String.self, to: String(decoding: cell.bytes, as: UTF8.self))
    case .double:
      try Self.put(cell.number, isOptional, place, cell)
    case .reference:
      try Self.put(cell.form == .integer ? cell.integer : nil, true, place, cell)
    case .bool:
      let value: Bool? =
        cell.form == .integer ? (cell.integer == 0 ? false : cell.integer == 1 ? true : nil) : nil
      try Self.put(value, isOptional, place, cell)
    case .date:
      try Self.put(
        cell.number.map { Date(timeIntervalSinceReferenceDate: $0) }, isOptional, place, cell)
    case .float: try Self.put(cell.number.map { Float($0) }, isOptional, place, cell)
    case .int8: try Self.put(cell.exactly(Int8.self), isOptional, place, cell)
    case .int16: try Self.put(cell.exactly(Int16.self), isOptional, place, cell)
    case .int32: try Self.put(cell.exactly(Int32.self), isOptional, place, cell)
    case .uint: try Self.put(cell.exactly(UInt.self), isOptional, place, cell)
    case .uint8: try Self.put(cell.exactly(UInt8.self), isOptional, place, cell)
    case .uint16: try Self.put(cell.exactly(UInt16.self), isOptional, place, cell)
    case .uint32: try Self.put(cell.exactly(UInt32.self), isOptional, place, cell)
    case .uint64: try Self.put(cell.exactly(UInt64.self), isOptional, place, cell)
    case .data: try Self.put(cell.form == .blob ? Data(cell.bytes) : nil, isOptional, place, cell)
    case .uuid: try Self.put(cell.string.flatMap(UUID.init(uuidString:)), isOptional, place, cell)
    case .url: try Self.put(cell.string.flatMap(URL.init(string:)), isOptional, place, cell)
    case .custom: preconditionFailure("a custom column decodes through its codec")
    }
  }

  @inline(__always)
  private static func put<T>(
    _ value: T?, _ isOptional: Bool, _ place: UnsafeMutableRawPointer, _ cell: Cell
  ) throws {
    guard let value else { throw ColumnFault(message: "is \(cell.described)") }
    if isOptional {
      place.initializeMemory(as: T?.self, to: value)
    } else {
      place.initializeMemory(as: T.self, to: value)
    }
  }

  private func initializeNil(_ place: UnsafeMutableRawPointer) {
    func none<T>(_: T.Type) { place.initializeMemory(as: T?.self, to: nil) }
    switch self {
    case .bool: none(Bool.self)
    case .int, .int64, .uint, .uint64, .reference: none(Int64.self)
    case .int8, .uint8: none(Int8.self)
    case .int16, .uint16: none(Int16.self)
    case .int32, .uint32: none(Int32.self)
    case .double: none(Double.self)
    case .float: none(Float.self)
    case .string: none(String.self)
    case .data: none(Data.self)
    case .date: none(Date.self)
    case .uuid: none(UUID.self)
    case .url: none(URL.self)
    case .custom: preconditionFailure("a custom column decodes through its codec")
    }
  }

  /// What a column holds of the typed memory; bytes go to the arena.
  package func cell(
    at place: UnsafeRawPointer, isOptional: Bool, in arena: CellArena
  ) throws -> Cell {
    @inline(__always)
    func value<T>(_: T.Type) -> T? {
      isOptional
        ? place.assumingMemoryBound(to: T?.self).pointee
        : place.assumingMemoryBound(to: T.self).pointee
    }
    @inline(__always)
    func integer<T: FixedWidthInteger>(_: T.Type) throws -> Cell {
      guard let value = value(T.self) else { return .null }
      guard let wide = Int64(exactly: value) else {
        throw ColumnFault(message: "is \(value), more than a store's integer holds")
      }
      return .integer(wide)
    }
    @inline(__always)
    func real(_ value: Double?) throws -> Cell {
      guard let value else { return .null }
      guard !value.isNaN else { throw ColumnFault(message: "is not a number") }
      return .real(value)
    }
    @inline(__always)
    func text(_ value: String?) -> Cell {
      guard var value else { return .null }
      return value.withUTF8 { .text(arena.copy(UnsafeRawBufferPointer($0)), $0.count) }
    }
    switch self {
    case .int, .int64: return try integer(Int64.self)
    case .string: return text(place.assumingMemoryBound(to: String?.self).pointee)
    case .double: return try real(value(Double.self))
    case .reference:
      return place.assumingMemoryBound(to: Int64?.self).pointee.map(Cell.integer) ?? .null
    case .bool: return value(Bool.self).map { .integer($0 ? 1 : 0) } ?? .null
    case .date: return try real(value(Date.self)?.timeIntervalSinceReferenceDate)
    case .float: return try real(value(Float.self).map(Double.init))
    case .int8: return try integer(Int8.self)
    case .int16: return try integer(Int16.self)
    case .int32: return try integer(Int32.self)
    case .uint: return try integer(UInt.self)
    case .uint8: return try integer(UInt8.self)
    case .uint16: return try integer(UInt16.self)
    case .uint32: return try integer(UInt32.self)
    case .uint64: return try integer(UInt64.self)
    case .data:
      guard let data = value(Data.self) else { return .null }
      return data.withUnsafeBytes { .blob(arena.copy($0), $0.count) }
    case .uuid: return text(value(UUID.self)?.uuidString)
    case .url: return text(value(URL.self)?.absoluteString)
    case .custom: preconditionFailure("a custom column encodes through its codec")
    }
  }
}

extension Cell {
  /// A real, or an integer that SQLite kept in its place.
  @inline(__always)
  fileprivate var number: Double? {
    switch form {
    case .real: real
    case .integer: Double(integer)
    default: nil
    }
  }

  fileprivate var string: String? {
    form == .text ? String(decoding: bytes, as: UTF8.self) : nil
  }

  @inline(__always)
  fileprivate func exactly<T: FixedWidthInteger>(_: T.Type) -> T? {
    form == .integer ? T(exactly: integer) : nil
  }
}
