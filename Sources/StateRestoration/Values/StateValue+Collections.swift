import LineageFiles

extension Optional: StateValue where Wrapped: StateValue {
  /// Writes nil or the value.
  public func write(to writer: inout ValueWriter) throws {
    guard let value = self else { return writer.writeNil() }
    let start = writer.bytes.count
    try value.write(to: &writer)
    // An optional that holds nil needs a tag of its own. Without that tag, the outer optional would
    // be read as nil.
    let tag = ValueTag(rawValue: writer.bytes[start])
    guard tag == .null || tag == .some else { return }
    writer.bytes.truncate(to: start)
    writer.write(.some)
    try value.write(to: &writer)
  }

  /// Reads nil or a value. A value with a reference that leads to nothing becomes nil.
  public static func read(from reader: inout ValueReader) throws -> Wrapped? {
    if try reader.readNil() { return nil }
    if try reader.peekTag() == .some { _ = try reader.tag() }
    return try reader.readIfThere(Wrapped.self)
  }
}

extension Optional: RestorableValue where Wrapped: RestorableValue {}
extension Optional: ContextualValue where Wrapped: ContextualValue {}

extension Array: StateValue where Element: StateValue {
  /// Writes the elements, in order.
  public func write(to writer: inout ValueWriter) throws {
    // The cast is unchecked for speed (`save`). This is safe because both types are the same here.
    if Element.self == Int.self {
      return try writer.write(unsafe unsafeBitCast(self, to: [Int].self))
    }
    let start = try writer.open(.array)
    for element in self { try element.write(to: &writer) }
    writer.close(start, count: count)
  }

  /// Reads the elements, in order. Elements with a reference that leads to nothing are left out.
  public static func read(from reader: inout ValueReader) throws -> [Element] {
    if Element.self == Int.self {
      return unsafe unsafeBitCast(try reader.readIntegers(), to: [Element].self)
    }
    return try reader.readArray { try $0.readIfThere(Element.self) }.compactMap(\.self)
  }
}

extension ValueWriter {
  /// Writes integers with one tag for all of them.
  fileprivate mutating func write(_ integers: [Int]) throws {
    let start = try open(.integers)
    for integer in integers { writeZigzag(Int64(integer)) }
    close(start, count: integers.count)
  }
}

extension ValueReader {
  /// Reads integers that have one tag for all of them.
  fileprivate mutating func readIntegers() throws -> [Int] {
    guard let (end, count) = try enter(.integers) else {
      throw mismatch("an array of integers", try tag())
    }
    var integers: [Int] = []
    integers.reserveCapacity(min(count, 4096))
    for _ in 0..<count {
      let value = try zigzag()
      guard let integer = Int(exactly: value) else {
        throw StateError(.outOfRange("\(value)", type: "Int"))
      }
      integers.append(integer)
    }
    try leave(end)
    return integers
  }
}

extension Array: RestorableValue where Element: RestorableValue {}
extension Array: ContextualValue where Element: ContextualValue {}

extension Set: StateValue where Element: StateValue {
  /// Writes the elements, sorted by their bytes, so that equal sets have equal bytes.
  public func write(to writer: inout ValueWriter) throws {
    var elements: [[UInt8]] = []
    elements.reserveCapacity(count)
    for element in self {
      let start = writer.bytes.count
      try element.write(to: &writer)
      elements.append(writer.bytes.bytes(from: start))
      writer.bytes.truncate(to: start)
    }
    let start = try writer.open(.array)
    for element in elements.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      writer.bytes.append(element.span)
    }
    writer.close(start, count: count)
  }

  /// Reads the elements. Elements with a reference that leads to nothing are left out.
  public static func read(from reader: inout ValueReader) throws -> Set<Element> {
    Set(try reader.readArray { try $0.readIfThere(Element.self) }.compactMap(\.self))
  }
}

extension Set: RestorableValue where Element: RestorableValue {}
extension Set: ContextualValue where Element: ContextualValue {}

extension Dictionary: StateValue where Key == String, Value: StateValue {
  /// Writes the elements, sorted by their keys, so that equal dictionaries have equal bytes.
  public func write(to writer: inout ValueWriter) throws {
    let start = try writer.open(.dictionary)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      writer.bytes.append(key)
      try value.write(to: &writer)
    }
    writer.close(start, count: count)
  }

  /// Reads the elements. Elements with a reference that leads to nothing are left out.
  public static func read(from reader: inout ValueReader) throws -> [String: Value] {
    var elements: [String: Value] = [:]
    try reader.readDictionary { key, reader in
      if let value = try reader.readIfThere(Value.self) { elements[key] = value }
    }
    return elements
  }
}

extension Dictionary: RestorableValue where Key == String, Value: RestorableValue {}
extension Dictionary: ContextualValue where Key == String, Value: ContextualValue {}
