/// A decoder of the rows of one statement. A property is read from the column of its name.
final class RowDecoder {
  private let columns: [String]
  /// The index of each column by its name; -1 if several columns have the name.
  private let indices: [String: Int]
  fileprivate var cells = CellRow(count: 0)

  init(_ columns: [String]) {
    self.columns = columns
    indices = Dictionary(
      columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { _, _ in -1 })
  }

  /// Decodes a row.
  ///
  /// - Throws: `ColumnFault` if a value does not fit its property; `RowFault` if the columns are not
  ///   those of the type.
  func decode<Row: Decodable>(_ cells: CellRow) throws -> Row {
    self.cells = cells
    do {
      if Row.self is any AttributeValue.Type || Row.self is any KeyedReference.Type {
        return try onlyCell().decode(Row.self)
      }
      return try Row(from: self)
    } catch let error as DecodingError {
      throw ColumnFault(message: error.message)
    }
  }

  /// Returns the cell of the column with a name.
  fileprivate func cell(_ key: any CodingKey) throws -> NamedCell {
    let name = key.stringValue
    guard let index = indices[name] else {
      throw refusal("it has no column \(name), but \(columns.joined(separator: ", "))")
    }
    guard index >= 0 else { throw refusal("several of its columns have the name \(name)") }
    return NamedCell(cell: cells[index], name: name)
  }

  private func onlyCell() throws -> NamedCell {
    guard columns.count == 1 else {
      throw refusal("it has \(columns.count.of("column")), but is read as one value")
    }
    return NamedCell(cell: cells[0], name: columns[0])
  }

  private func refusal(_ message: String) -> RowFault { RowFault(message: message) }
}

extension RowDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(
      RowContainer(decoder: self, allKeys: columns.compactMap { Key(stringValue: $0) }))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw refusal("a row has names, and is no list")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { try onlyCell() }
}

/// The columns of a row, by the names of properties.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  let allKeys: [Key]
  var codingPath: [any CodingKey] { [] }

  /// Returns true, so that a property without a column is a mistake even if it is optional.
  func contains(_: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { try decoder.cell(key).decodeNil() }

  func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try value(key) }
  func decode(_: String.Type, forKey key: Key) throws -> String { try value(key) }
  func decode(_: Double.Type, forKey key: Key) throws -> Double { try value(key) }
  func decode(_: Float.Type, forKey key: Key) throws -> Float { try value(key) }
  func decode(_: Int.Type, forKey key: Key) throws -> Int { try value(key) }
  func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) }
  func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try value(key) }
  func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try value(key) }
  func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try value(key) }
  func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try value(key) }
  func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key) }
  func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key) }
  func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key) }
  func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key) }

  func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
    try decoder.cell(key).decode(Value.self)
  }

  private func value<Value: AttributeValue>(_ key: Key) throws -> Value {
    let cell = try decoder.cell(key)
    return try cell.cell.value(as: Value.self, named: cell.name)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy _: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw try decoder.cell(key).isNoStructure
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw try decoder.cell(key).isNoStructure
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.cell(key) }
}

/// One value of a row, with the name of its column.
private struct NamedCell: SingleValueDecodingContainer, Decoder {
  let cell: ColumnCell
  let name: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The error for a property that has properties or elements of its own.
  var isNoStructure: ColumnFault {
    ColumnFault(message: "\(name) is one value, not a structure of several values")
  }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw isNoStructure
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw isNoStructure }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { cell.form == .null }
  func decode(_: Bool.Type) throws -> Bool { try value() }
  func decode(_: String.Type) throws -> String { try value() }
  func decode(_: Double.Type) throws -> Double { try value() }
  func decode(_: Float.Type) throws -> Float { try value() }
  func decode(_: Int.Type) throws -> Int { try value() }
  func decode(_: Int8.Type) throws -> Int8 { try value() }
  func decode(_: Int16.Type) throws -> Int16 { try value() }
  func decode(_: Int32.Type) throws -> Int32 { try value() }
  func decode(_: Int64.Type) throws -> Int64 { try value() }
  func decode(_: UInt.Type) throws -> UInt { try value() }
  func decode(_: UInt8.Type) throws -> UInt8 { try value() }
  func decode(_: UInt16.Type) throws -> UInt16 { try value() }
  func decode(_: UInt32.Type) throws -> UInt32 { try value() }
  func decode(_: UInt64.Type) throws -> UInt64 { try value() }

  func decode<Value: Decodable>(_: Value.Type) throws -> Value {
    if let type = Value.self as? any AttributeValue.Type {
      let value: any AttributeValue = try cell.value(as: type, named: name)
      if let value = value as? Value { return value }
    }
    if let type = Value.self as? any KeyedReference.Type {
      let reference = type.init(key: try value())
      if let reference = reference as? Value { return reference }
    }
    return try Value(from: self)
  }

  private func value<Value: AttributeValue>() throws -> Value {
    try cell.value(as: Value.self, named: name)
  }
}

/// A reference that is made from the id in a column.
protocol KeyedReference {
  init(key: Int64)
}

/// The error for rows that do not have the columns of a type.
struct RowFault: Error {
  let message: String
}

extension DecodingError {
  /// The error's own message, without the path of an empty list of keys.
  fileprivate var message: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context.debugDescription
    @unknown default: "\(self)"
    }
  }
}
