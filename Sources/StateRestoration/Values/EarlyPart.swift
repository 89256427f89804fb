extension Never: RestorableValue {
  /// Writes nothing, because there is no such value.
  public func write(to writer: inout ValueWriter) {}

  /// Throws an error, because there is no such value.
  public static func read(from reader: inout ValueReader) throws -> Never {
    throw StateError(.refused("a value", type: "Never"))
  }
}

extension ValueWriter {
  /// Writes the early part of a contextual value. Then the closure writes the rest, which is one value
  /// without an early part of its own.
  ///
  /// - Complexity: That of writing the two parts.
  public mutating func writeEarly(
    _ early: some RestorableValue, then late: (inout ValueWriter) throws -> Void
  ) throws {
    write(.early)
    try early.write(to: &self)
    try late(&self)
  }
}

extension ValueReader {
  /// Reads a contextual value that ``ValueWriter/writeEarly(_:then:)`` has written. The closure gets
  /// the early part, and reads the rest. The early part is nil if the value was archived without
  /// one.
  ///
  /// If the rest needs a context that is not there yet, the value that stands in for the archived
  /// one is returned. The archived bytes are then kept, and read again later.
  ///
  /// - Throws: ``StateError`` if the early part is of another type, and the errors of the closure.
  /// - Complexity: That of reading the two parts.
  public mutating func readEarly<Value: ContextualValue>(
    then late: (Value.Early?, inout ValueReader) throws -> Value
  ) throws -> Value {
    let early = try readEarlyPart(Value.Early.self)
    let start = mark
    do {
      return try late(early, &self)
    } catch let error as ValueIsWaiting {
      guard let value = early.flatMap(Value.standIn) else { throw error }
      try skipAgain(from: start)
      scope?.contexts.hasStandIn = true
      return value
    }
  }

  /// Reads the early part of the next value; nil if it has none.
  mutating func readEarlyPart<Early: RestorableValue>(_: Early.Type) throws -> Early? {
    guard try peekTag() == .early else { return nil }
    position += 1
    return try Early.read(from: &self)
  }

  /// Moves behind the early part of the next value, if it has one.
  mutating func skipEarlyPart() throws {
    guard try peekTag() == .early else { return }
    position += 1
    try skip()
  }
}
