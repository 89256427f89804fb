import LineageFiles

/// The encoder of one Codable value, which writes into a ``CodableSink``.
struct StateValueEncoder: Encoder {
  let sink: CodableSink
  /// The number of containers around the value.
  let level: Int

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedSink(sink, Result { try sink.container(.dictionary, at: level) }))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedSink(sink, Result { try sink.container(.array, at: level) })
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

  init(_ sink: CodableSink, _ container: Result<CodableSink.ContainerID, any Error>) {
    self.sink = sink
    self.container = container
  }

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

  func encode(_ value: Bool, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: String, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Double, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Float, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Int, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Int8, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Int16, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Int32, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: Int64, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: UInt, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try put(value, key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try put(value, key) }

  private func put(_ value: some StateValue, _ key: Key) throws {
    _ = try begin(key)
    try value.write(to: &sink.writer)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try sink.write(value, at: begin(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(
      KeyedSink<Nested>(sink, Result { try sink.container(.dictionary, at: begin(key)) }))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedSink(sink, Result { try sink.container(.array, at: begin(key)) })
  }

  func superEncoder() -> any Encoder { nestedEncoder(SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key) }

  private func nestedEncoder(_ key: some CodingKey) -> any Encoder {
    do {
      return StateValueEncoder(sink: sink, level: try begin(key))
    } catch {
      return FailedEncoder(error: error)
    }
  }
}

/// The container that encodes an array.
private struct UnkeyedSink: UnkeyedEncodingContainer {
  let sink: CodableSink
  let container: Result<CodableSink.ContainerID, any Error>

  init(_ sink: CodableSink, _ container: Result<CodableSink.ContainerID, any Error>) {
    self.sink = sink
    self.container = container
  }

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

  func encode(_ value: Bool) throws { try put(value) }
  func encode(_ value: String) throws { try put(value) }
  func encode(_ value: Double) throws { try put(value) }
  func encode(_ value: Float) throws { try put(value) }
  func encode(_ value: Int) throws { try put(value) }
  func encode(_ value: Int8) throws { try put(value) }
  func encode(_ value: Int16) throws { try put(value) }
  func encode(_ value: Int32) throws { try put(value) }
  func encode(_ value: Int64) throws { try put(value) }
  func encode(_ value: UInt) throws { try put(value) }
  func encode(_ value: UInt8) throws { try put(value) }
  func encode(_ value: UInt16) throws { try put(value) }
  func encode(_ value: UInt32) throws { try put(value) }
  func encode(_ value: UInt64) throws { try put(value) }

  private func put(_ value: some StateValue) throws {
    _ = try begin()
    try value.write(to: &sink.writer)
  }

  func encode<Value: Encodable>(_ value: Value) throws { try sink.write(value, at: begin()) }

  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(
      KeyedSink<Nested>(sink, Result { try sink.container(.dictionary, at: begin()) }))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedSink(sink, Result { try sink.container(.array, at: begin()) })
  }

  func superEncoder() -> any Encoder {
    do {
      return StateValueEncoder(sink: sink, level: try begin())
    } catch {
      return FailedEncoder(error: error)
    }
  }
}

/// The container that encodes a single value.
private struct SingleSink: SingleValueEncodingContainer {
  let sink: CodableSink
  let level: Int

  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws { sink.writer.writeNil() }
  func encode(_ value: Bool) throws { try put(value) }
  func encode(_ value: String) throws { try put(value) }
  func encode(_ value: Double) throws { try put(value) }
  func encode(_ value: Float) throws { try put(value) }
  func encode(_ value: Int) throws { try put(value) }
  func encode(_ value: Int8) throws { try put(value) }
  func encode(_ value: Int16) throws { try put(value) }
  func encode(_ value: Int32) throws { try put(value) }
  func encode(_ value: Int64) throws { try put(value) }
  func encode(_ value: UInt) throws { try put(value) }
  func encode(_ value: UInt8) throws { try put(value) }
  func encode(_ value: UInt16) throws { try put(value) }
  func encode(_ value: UInt32) throws { try put(value) }
  func encode(_ value: UInt64) throws { try put(value) }

  private func put(_ value: some StateValue) throws { try value.write(to: &sink.writer) }

  func encode<Value: Encodable>(_ value: Value) throws { try sink.write(value, at: level) }
}

/// The key that `superEncoder()` uses for the values of a superclass.
struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) { return nil }
  init?(intValue: Int) { return nil }
}

/// An encoder that is returned when another encoder could not be made. Its keyed and unkeyed
/// containers throw `error` at each element. Its single-value container discards the value.
private struct FailedEncoder: Encoder {
  let error: any Error
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedSink(CodableSink(), .failure(error)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedSink(CodableSink(), .failure(error))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleSink(sink: CodableSink(), level: 0)
  }
}
