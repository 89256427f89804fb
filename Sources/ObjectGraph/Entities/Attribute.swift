import Foundation

/// A property that a store keeps in a column.
public struct Attribute<Root: Entity>: Sendable {
  let part: SchemaPart

  /// A property of a plain type, or an optional of one.
  public init<Value: AttributeValue>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil
  ) {
    part = .column(
      name, path, Value.attributeForm, isUnique: unique, isIndexed: indexed, formerly: formerly)
  }

  /// An enum, kept as its raw value.
  public init<Value: RawRepresentable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil
  ) where Value.RawValue: AttributeValue {
    part = .column(
      name, path, Value.RawValue.attributeForm, isUnique: unique, isIndexed: indexed,
      formerly: formerly, codec: .raw(Value.self))
  }

  /// An optional enum, kept as its raw value.
  public init<Value: RawRepresentable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable,
    unique: Bool = false, indexed: Bool = false, formerly: String? = nil
  ) where Value.RawValue: AttributeValue {
    part = .column(
      name, path, Value.RawValue?.attributeForm,
      isUnique: unique, isIndexed: indexed, formerly: formerly, codec: .rawOptional(Value.self))
  }

  /// A Codable value, kept as JSON text; filters can only compare it with nil.
  public init<Value: Codable & Sendable>(
    _ name: String, json path: any WritableKeyPath<Root, Value> & Sendable, formerly: String? = nil
  ) {
    part = .column(
      name, path,
      AttributeForm(.custom, isOptional: Value.self is any ExpressibleByNilLiteral.Type),
      formerly: formerly, codec: .json(Value.self))
  }
}

extension SchemaPart {
  static func column<Root: Entity, Value>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ form: AttributeForm,
    target: (any Entity.Type)? = nil, isUnique: Bool = false, isIndexed: Bool = false,
    formerly: String? = nil, codec: Column.Codec? = nil
  ) -> SchemaPart {
    let offset = MemoryLayout<Root>.offset(of: path)
    let column = Column(
      name: name, formerly: formerly,
      field: Field(
        kind: codec == nil ? form.kind : .custom, isOptional: form.isOptional,
        offset: offset ?? 0, size: MemoryLayout<Value>.size),
      isUnique: isUnique, isIndexed: isIndexed, typeName: "\(Value.self)", target: target,
      codec: codec, kept: form.kind)
    return SchemaPart(
      name: name, form: .column(column, hasPlace: offset != nil, isNested: form.isNested))
  }
}

extension Column.Codec {
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
    let raw = try withUnsafeTemporaryAllocation(of: Value.RawValue.self, capacity: 1) { place in
      let form = Value.RawValue.attributeForm
      guard let start = place.baseAddress else { throw ColumnFault(message: "has no memory") }
      try form.kind.decode(cell, isOptional: form.isOptional, into: UnsafeMutableRawPointer(start))
      return start.move()
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

extension Stored {
  /// What a column holds of a value.
  package init<Value: AttributeValue>(_ value: Value) throws {
    let form = Value.attributeForm
    let arena = CellArena(capacity: 256)
    // The cell only points to the arena's bytes.
    self = try withExtendedLifetime(arena) {
      try withUnsafePointer(to: value) {
        try form.kind.cell(at: UnsafeRawPointer($0), isOptional: form.isOptional, in: arena).stored
      }
    }
  }
}
