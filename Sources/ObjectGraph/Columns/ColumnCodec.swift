import Foundation

/// The way between memory and column of a type that has no flat one.
package struct ColumnCodec: Sendable {
  /// Initialises the memory, or throws and leaves it uninitialised. Null comes here too.
  let decode: @Sendable (Cell, UnsafeMutableRawPointer) throws -> Void
  let encode: @Sendable (UnsafeRawPointer) throws -> Stored
  let destroy: @Sendable (UnsafeMutableRawPointer) -> Void
  let assign: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
  /// Whether two values are equal to Swift, though they may be written differently; nil if Swift
  /// does not know.
  var isSame: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool)?
}

extension ColumnCodec {
  static func raw<Value: RawRepresentable & Sendable>(_: Value.Type) -> Self
  where Value.RawValue: AttributeValue {
    Self(
      decode: { cell, place in
        place.initializeMemory(as: Value.self, to: try value(cell))
      },
      encode: { try stored($0.assumingMemoryBound(to: Value.self).pointee.rawValue) },
      destroy: { _ = $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) },
      assign: {
        $1.assumingMemoryBound(to: Value.self).pointee =
          $0.assumingMemoryBound(to: Value.self).pointee
      })
  }

  static func rawOptional<Value: RawRepresentable & Sendable>(_: Value.Type) -> Self
  where Value.RawValue: AttributeValue {
    Self(
      decode: { cell, place in
        let decoded: Value? = cell.form == .null ? nil : try value(cell)
        place.initializeMemory(as: Value?.self, to: decoded)
      },
      encode: {
        try $0.assumingMemoryBound(to: Value?.self).pointee.map { try stored($0.rawValue) } ?? .null
      },
      destroy: { _ = $0.assumingMemoryBound(to: Value?.self).deinitialize(count: 1) },
      assign: {
        $1.assumingMemoryBound(to: Value?.self).pointee =
          $0.assumingMemoryBound(to: Value?.self).pointee
      })
  }

  static func json<Value: Codable & Sendable>(_: Value.Type) -> Self {
    Self(
      decode: { cell, place in
        guard cell.form == .text || cell.form == .null else {
          throw ColumnFault(message: "is \(cell.described), not JSON")
        }
        let bytes = cell.form == .null ? Data("null".utf8) : Data(cell.bytes)
        do {
          place.initializeMemory(
            as: Value.self, to: try JSONDecoder().decode(Value.self, from: bytes))
        } catch {
          throw ColumnFault(message: "is \(cell.described), not a \(Value.self): \(error)")
        }
      },
      encode: { place in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
          let bytes = try encoder.encode(place.assumingMemoryBound(to: Value.self).pointee)
          let text = String(decoding: bytes, as: UTF8.self)
          // What is not optional to Swift is NOT NULL in its column.
          let mayBeNull = Value.self is any ExpressibleByNilLiteral.Type
          return text == "null" && mayBeNull ? .null : .text(text)
        } catch {
          throw ColumnFault(message: "cannot be written as JSON: \(error)")
        }
      },
      destroy: { _ = $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) },
      assign: {
        $1.assumingMemoryBound(to: Value.self).pointee =
          $0.assumingMemoryBound(to: Value.self).pointee
      },
      isSame: {
        guard
          let one = $0.assumingMemoryBound(to: Value.self).pointee as? any Equatable
        else { return false }
        return equals(one, $1.assumingMemoryBound(to: Value.self).pointee)
      })
  }

  private static func equals<T: Equatable>(_ one: T, _ other: Any) -> Bool { one == other as? T }

  private static func value<Value: RawRepresentable>(_ cell: Cell) throws -> Value
  where Value.RawValue: AttributeValue {
    let raw = try StructMemory.make(Value.RawValue.self) {
      try Field.alone(Value.RawValue.self).decode(cell, into: $0)
    }
    guard let value = Value(rawValue: raw) else {
      throw ColumnFault(message: "is \(cell.described), not a \(Value.self)")
    }
    return value
  }

  private static func stored<Value: AttributeValue>(_ value: Value) throws -> Stored {
    try Stored(value)
  }
}
