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
extension Optional: ContextualValue where Wrapped: ContextualValue {
  /// The type of the early part of the wrapped value.
  public typealias Early = Wrapped.Early
}

extension Array: StateValue where Element: StateValue {
  /// Writes the elements, in order. Integers of type `Int` have one tag for all of them.
  public func write(to writer: inout ValueWriter) throws {
    guard Element.self == Int.self else {
      return try writer.writeArray(count: count) {
        for element in self { try element.write(to: &$0) }
      }
    }
    // The cast is unchecked for speed (`save`). This is safe because both types are the same here.
    let integers = unsafe unsafeBitCast(self, to: [Int].self)
    try writer.write(.integers, count: count) {
      for integer in integers { $0.writeZigzag(Int64(integer)) }
    }
  }

  /// Reads the elements, in order. Elements with a reference that leads to nothing are left out.
  public static func read(from reader: inout ValueReader) throws -> [Element] {
    guard Element.self == Int.self else {
      return try reader.elements(.array) { try $0.readIfThere(Element.self) }
    }
    let integers = try reader.elements(.integers) { reader -> Int in
      let value = try reader.zigzag()
      if let integer = Int(exactly: value) { return integer }
      throw StateError(.outOfRange("\(value)", type: "Int"))
    }
    return unsafe unsafeBitCast(integers, to: [Element].self)
  }
}

extension Array: RestorableValue where Element: RestorableValue {}
extension Array: ContextualValue where Element: ContextualValue {}

extension Set: StateValue where Element: StateValue {
  /// Writes the elements, sorted by their bytes, so that equal sets have equal bytes.
  public func write(to writer: inout ValueWriter) throws {
    let first = writer.bytes.count
    try writer.writeArray(count: count) { for element in self { try element.write(to: &$0) } }
    try writer.sortElements(of: first)
  }

  /// Reads the elements. Elements with a reference that leads to nothing are left out.
  public static func read(from reader: inout ValueReader) throws -> Set<Element> {
    Set(try reader.elements(.array) { try $0.readIfThere(Element.self) })
  }
}

extension Set: RestorableValue where Element: RestorableValue {}
extension Set: ContextualValue where Element: ContextualValue {}

extension Dictionary: StateValue where Key == String, Value: StateValue {
  /// Writes the elements, sorted by their keys, so that equal dictionaries have equal bytes.
  public func write(to writer: inout ValueWriter) throws {
    try writer.write(.dictionary, count: count) { writer in
      for (key, value) in sorted(by: { $0.key < $1.key }) {
        writer.bytes.append(key)
        try value.write(to: &writer)
      }
    }
  }

  /// Reads the elements. Elements with a reference that leads to nothing are left out.
  public static func read(from reader: inout ValueReader) throws -> [String: Value] {
    let elements = try reader.elements(.dictionary) { reader in
      let key = try reader.text()
      return try reader.readIfThere(Value.self).map { (key, $0) }
    }
    return Dictionary(elements) { $1 }
  }
}

extension Dictionary: RestorableValue where Key == String, Value: RestorableValue {}
extension Dictionary: ContextualValue where Key == String, Value: ContextualValue {}

extension ValueWriter {
  /// Sorts the elements of a set or dictionary by their bytes. Otherwise, their order would differ
  /// from process to process. The container begins at the given position, and ends the bytes. If
  /// `arePairs` is true, it is an array of alternating keys and values.
  mutating func sortElements(of start: Int, arePairs: Bool = false) throws {
    let bytes = bytes.bytes(from: start)
    var reader = ValueReader(bytes, 0..<bytes.count)
    let tag = try reader.peekTag()
    let (_, count) = try reader.enter(tag)
    guard count > 1 else { return }
    var elements: [ArraySlice<UInt8>] = []
    while reader.position < reader.end {
      let begin = reader.position
      if tag == .dictionary { _ = try reader.dataRange() }
      try reader.skip()
      if arePairs { try reader.skip() }
      elements.append(bytes[begin..<reader.position])
    }
    self.bytes.truncate(to: start)
    let open = try open(tag)
    for element in elements.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      self.bytes.append(element.span)
    }
    close(open, count: count)
  }
}
