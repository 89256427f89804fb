import Foundation

/// The decoder of one Codable value. It is also the container that decodes a single value.
struct StateValueDecoder: Decoder, SingleValueDecodingContainer {
  let reader: ValueReader

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedSource(reader))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedSource(reader) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { (try? reader.peekTag()) == .null }

  func decode<Value: Decodable & StateValue>(_: Value.Type) throws -> Value {
    var reader = reader
    return try Value.read(from: &reader)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard CodableSink.isDirect(type), let direct = type as? any StateValue.Type else {
      return try Value(from: self)
    }
    var reader = reader
    guard let value = try direct.read(from: &reader) as? Value else {
      throw StateError(.refused("a value", type: "\(type)"))
    }
    return value
  }
}

/// The container that decodes a dictionary, and finds the elements by their keys.
private final class KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// A reader at the first element.
  private let first: ValueReader
  private let count: Int
  /// The position of the element at which the next search begins. Keys are usually read in their
  /// order, so searches are short.
  private var position: Int
  private var index = 0

  init(_ reader: ValueReader) throws {
    var reader = reader
    count = try reader.enter(.dictionary).count
    first = reader
    position = reader.position
  }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    var reader = first
    var keys: [Key] = []
    for _ in 0..<count {
      guard let name = try? reader.text(), (try? reader.skip()) != nil else { break }
      if let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }

  /// Returns a reader of the value under a key; nil if there is no value, or if the bytes are
  /// damaged.
  private func find(_ key: String) -> ValueReader? {
    var reader = first
    reader.position = position
    var index = index
    var key = key
    let isFound = key.withUTF8 { bytes in
      for _ in 0..<count {
        if index == count { (reader.position, index) = (first.position, 0) }
        position = reader.position
        guard let name = try? reader.dataRange() else { return false }
        if unsafe reader.bytes.isEqual(name, bytes.span) { return true }
        guard (try? reader.skip()) != nil else { return false }
        index += 1
      }
      return false
    }
    self.index = index
    guard isFound else {
      (position, self.index) = (first.position, 0)
      return nil
    }
    return reader
  }

  /// Returns a decoder of the value under a key.
  private func decoder(_ key: some CodingKey) throws -> StateValueDecoder {
    if let reader = find(key.stringValue) { return StateValueDecoder(reader: reader) }
    throw DecodingError.keyNotFound(
      key, .init(codingPath: [], debugDescription: "There is no key \(key.stringValue)."))
  }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).reader.peekTag() == .null }

  func decode<Value: Decodable & StateValue>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(SuperKey.parent) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// The container that decodes an array, one element after the other.
private struct UnkeyedSource: UnkeyedDecodingContainer {
  private var reader: ValueReader
  private let total: Int
  private(set) var currentIndex = 0

  init(_ reader: ValueReader) throws {
    var reader = reader
    total = try reader.enter(.array).count
    self.reader = reader
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { total }
  var isAtEnd: Bool { currentIndex >= total }

  /// Returns a decoder of the next element, and moves on to the element after it.
  private mutating func next() throws -> StateValueDecoder {
    guard !isAtEnd else { throw StateError(.damaged("an array ends early")) }
    let element = StateValueDecoder(reader: reader)
    try reader.skip()
    currentIndex += 1
    return element
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, try reader.peekTag() == .null else { return false }
    _ = try next()
    return true
  }

  mutating func decode<Value: Decodable & StateValue>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: Nested.self)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
