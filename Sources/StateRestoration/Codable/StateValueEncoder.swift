import LineageFiles

/// The encoder of one Codable value, which writes into a ``CodableSink``.
struct StateValueEncoder: Encoder {
  let sink: CodableSink
  /// The number of containers around the value. If there is an error instead, writing the value
  /// throws it.
  let level: Result<Int, any Error>

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      KeyedSink(
        sink: sink, container: Result { try sink.container(.dictionary, at: level.get()) }))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedSink(sink: sink, container: Result { try sink.container(.array, at: level.get()) })
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleSink(sink: sink, level: level)
  }
}

/// The container that encodes a dictionary.
private struct KeyedSink<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: CodableSink
  /// The container in the sink, or the error that was thrown when the container was begun. If there
  /// is an error, writing an element throws it.
  let container: Result<CodableSink.ContainerID, any Error>

  var codingPath: [any CodingKey] { [] }

  /// Begins an element, and returns the level of its value.
  private func begin(_ key: some CodingKey) throws -> Int {
    let container = try container.get()
    try sink.beginElement(of: container)
    sink.writer.bytes.append(key.stringValue)
    return container.level + 1
  }

  func encodeNil(forKey key: Key) throws {
    _ = try begin(key)
    sink.writer.writeNil()
  }

  func encode<Value: Encodable & StateValue>(_ value: Value, forKey key: Key) throws {
    _ = try begin(key)
    try value.write(to: &sink.writer)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try sink.write(value, at: begin(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    superEncoder(forKey: key).container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    StateValueEncoder(sink: sink, level: Result { try begin(SuperKey()) })
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    StateValueEncoder(sink: sink, level: Result { try begin(key) })
  }
}

/// The container that encodes an array.
private struct UnkeyedSink: UnkeyedEncodingContainer {
  let sink: CodableSink
  let container: Result<CodableSink.ContainerID, any Error>

  var codingPath: [any CodingKey] { [] }
  var count: Int { (try? container.get()).map { sink.count(of: $0) } ?? 0 }

  private func begin() throws -> Int {
    let container = try container.get()
    try sink.beginElement(of: container)
    return container.level + 1
  }

  func encodeNil() throws {
    _ = try begin()
    sink.writer.writeNil()
  }

  func encode<Value: Encodable & StateValue>(_ value: Value) throws {
    _ = try begin()
    try value.write(to: &sink.writer)
  }

  func encode<Value: Encodable>(_ value: Value) throws { try sink.write(value, at: begin()) }

  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    superEncoder().container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    StateValueEncoder(sink: sink, level: Result { try begin() })
  }
}

/// The container that encodes a single value.
private struct SingleSink: SingleValueEncodingContainer {
  let sink: CodableSink
  let level: Result<Int, any Error>

  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws {
    _ = try level.get()
    sink.writer.writeNil()
  }

  func encode<Value: Encodable & StateValue>(_ value: Value) throws {
    _ = try level.get()
    try value.write(to: &sink.writer)
  }

  func encode<Value: Encodable>(_ value: Value) throws { try sink.write(value, at: level.get()) }
}

/// The key that `superEncoder()` uses for the values of a superclass.
struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) { return nil }
  init?(intValue: Int) { return nil }
}
