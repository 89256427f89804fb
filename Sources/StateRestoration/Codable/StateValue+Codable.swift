extension StateValue where Self: Codable {
  /// Writes the value by its `encode(to:)`.
  public func write(to writer: inout ValueWriter) throws {
    let sink = writer.sink as? CodableSink ?? CodableSink()
    // While the value encodes itself, the sink has the writer. Encoders are copyable, so they
    // cannot hold a noncopyable writer.
    writer.sink = nil
    swap(&writer, &sink.writer)
    defer {
      swap(&writer, &sink.writer)
      writer.sink = sink
      sink.forgetContainers()
    }
    try sink.write(self, at: 0)
  }

  /// Reads a value by its `init(from:)`.
  public static func read(from reader: inout ValueReader) throws -> Self {
    try reader.readCodable()
  }
}

extension ValueReader {
  /// Reads a value by its `init(from:)`.
  package mutating func readCodable<Value: Decodable>() throws -> Value {
    let value = try Value(from: StateValueDecoder(reader: self))
    try skip()
    return value
  }
}

// An enum with raw values may be Codable, too. It is then written as its raw value, like an enum
// that is not Codable.
extension StateValue where Self: Codable & RawRepresentable, RawValue: RestorableValue {
  /// Writes the raw value.
  public func write(to writer: inout ValueWriter) throws { try rawValue.write(to: &writer) }
  /// Reads a value from its raw value. Throws an error if the type has no such raw value.
  public static func read(from reader: inout ValueReader) throws -> Self { try reader.raw() }
}
