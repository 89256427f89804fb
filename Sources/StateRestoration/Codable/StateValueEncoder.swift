import LineageFiles

/// The encoder of one Codable value, which writes into a ``CodableSink``. It is also the container
/// that encodes a single value.
struct StateValueEncoder: Encoder, SingleValueEncodingContainer {
  let sink: CodableSink
  /// The number of containers around the value. If there is an error instead, writing the value
  /// throws it.
  let level: Result<Int, any Error>

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedSink(sink: sink, container: container(.dictionary)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedSink(sink: sink, container: container(.array))
  }

  private func container(_ tag: ValueTag) -> Result<Int, any Error> {
    Result { try sink.container(tag, at: level.get()) }
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

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

/// The container that encodes a dictionary.
private struct KeyedSink<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: CodableSink
  /// The serial number of the container in the sink. If there is an error instead, writing an
  /// element throws it.
  let container: Result<Int, any Error>

  var codingPath: [any CodingKey] { [] }

  /// Begins an element, and returns the level of its value.
  private func begin(_ key: some CodingKey) throws -> Int {
    let level = try sink.beginElement(of: container)
    sink.writer.bytes.append(key.stringValue)
    return level
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
    StateValueEncoder(sink: sink, level: Result { try begin(SuperKey.parent) })
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    StateValueEncoder(sink: sink, level: Result { try begin(key) })
  }
}

/// The container that encodes an array.
private struct UnkeyedSink: UnkeyedEncodingContainer {
  let sink: CodableSink
  let container: Result<Int, any Error>

  var codingPath: [any CodingKey] { [] }
  var count: Int { sink.count(of: container) }

  func encodeNil() throws {
    _ = try sink.beginElement(of: container)
    sink.writer.writeNil()
  }

  func encode<Value: Encodable & StateValue>(_ value: Value) throws {
    _ = try sink.beginElement(of: container)
    try value.write(to: &sink.writer)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try sink.write(value, at: sink.beginElement(of: container))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    superEncoder().container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    StateValueEncoder(sink: sink, level: Result { try sink.beginElement(of: container) })
  }
}

/// The key that `superEncoder()` uses for the values of a superclass.
enum SuperKey: String, CodingKey { case parent = "super" }
