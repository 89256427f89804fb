import Foundation

/// The conversion between memory and column for a type that is not a ``ColumnValue``.
package struct ColumnCodec: Sendable {
  /// A closure that initialises the memory from a cell, which may be null. If the closure throws,
  /// the memory stays uninitialised.
  let decode: @Sendable (ColumnCell, PropertyMemory) throws -> Void
  let encode: @Sendable (PropertyMemory) throws -> StoredValue
  let destroy: @Sendable (PropertyMemory) -> Void
  let assign: @Sendable (_ source: PropertyMemory, _ place: PropertyMemory) -> Void
  /// A closure that compares two values by `==`, because equal values may have different JSON. The
  /// closure is nil for raw values, because their forms in the column are compared instead.
  var isSame: (@Sendable (PropertyMemory, PropertyMemory) -> Bool)?
}

extension ColumnCodec {
  /// Returns the codec of a type, such as an enum, whose raw value is kept in the column.
  ///
  /// Reading a row fails if the type has no value for the row's raw value. Opening the store does
  /// not check this.
  static func raw<Value: RawRepresentable & Sendable>(_: Value.Type) -> Self
  where Value.RawValue: AttributeValue {
    let field = RawField<Value.RawValue>()
    return Self(
      decode: { cell, place in
        place.initialize(to: try field.value(cell) as Value)
      },
      encode: { try field.stored($0.value(as: Value.self).rawValue) },
      destroy: { $0.deinitialize(Value.self) },
      assign: { $1.assign(Value.self, from: $0) })
  }

  /// Returns the codec of an optional of a type whose raw value is kept in the column.
  static func rawOptional<Value: RawRepresentable & Sendable>(_: Value.Type) -> Self
  where Value.RawValue: AttributeValue {
    let field = RawField<Value.RawValue>()
    return Self(
      decode: { cell, place in
        let decoded: Value? = cell.form == .null ? nil : try field.value(cell)
        place.initialize(to: decoded)
      },
      encode: {
        try $0.value(as: Value?.self).map { try field.stored($0.rawValue) } ?? .null
      },
      destroy: { $0.deinitialize(Value?.self) },
      assign: { $1.assign(Value?.self, from: $0) })
  }

  /// Returns the codec of a type that a column keeps as JSON text.
  static func json<Value: Codable & Sendable>(_: Value.Type) -> Self {
    Self(
      decode: { cell, place in
        guard cell.form == .text || cell.form == .null else {
          throw ColumnFault(message: "is \(cell.described), not JSON")
        }
        let bytes = cell.form == .null ? Data("null".utf8) : cell.contents
        do {
          place.initialize(to: try JSONDecoder().decode(Value.self, from: bytes))
        } catch {
          throw ColumnFault(message: "is \(cell.described), not a \(Value.self): \(error)")
        }
      },
      encode: { place in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
          let bytes = try encoder.encode(place.value(as: Value.self))
          let text = String(decoding: bytes, as: UTF8.self)
          // The column of a type that is not optional is NOT NULL, so it keeps the text "null"
          // instead.
          let mayBeNull = Value.self is any ExpressibleByNilLiteral.Type
          return text == "null" && mayBeNull ? .null : .text(text)
        } catch {
          throw ColumnFault(message: "cannot be written as JSON: \(error)")
        }
      },
      destroy: { $0.deinitialize(Value.self) },
      assign: { $1.assign(Value.self, from: $0) },
      isSame: {
        guard let one = $0.value(as: Value.self) as? any Equatable else { return false }
        return equals(one, $1.value(as: Value.self))
      })
  }

  private static func equals<T: Equatable>(_ one: T, _ other: Any) -> Bool { one == other as? T }
}

/// The conversion between a raw value and a column. The form of the raw value's type is checked
/// once, and not for each row.
private struct RawField<RawValue: AttributeValue>: Sendable {
  private let field = Result { try Field.alone(RawValue.self) }

  func value<Value: RawRepresentable<RawValue>>(_ cell: ColumnCell) throws -> Value {
    let field = try field.get()
    let raw = try StructMemory.make(RawValue.self) { try field.decode(cell, into: $0) }
    guard let value = Value(rawValue: raw) else {
      throw ColumnFault(message: "is \(cell.described), not a \(Value.self)")
    }
    return value
  }

  func stored(_ value: RawValue) throws -> StoredValue {
    let field = try field.get()
    var value = value
    return try StructMemory.lend(&value) { try field.stored(of: $0) }
  }
}
