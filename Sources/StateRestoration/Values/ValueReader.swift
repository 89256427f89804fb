/// The reader of one value, passed to ``StateValue/read(from:)``.
///
/// The reader never reads beyond the value's bytes, even if a length in the bytes is too large.
public struct ValueReader {
  package let bytes: [UInt8]
  package internal(set) var position: Int
  /// The position after the last byte that may be read. This is the end of the innermost container
  /// that is being read, or of the whole value.
  private(set) var end: Int
  private var depth = 0
  /// The responder and the contexts that resolve references and paths; nil for a value outside of a
  /// tree.
  let scope: ValueScope?

  init(_ bytes: [UInt8], _ range: Range<Int>, _ scope: ValueScope? = nil) {
    self.bytes = bytes
    self.scope = scope
    position = max(range.lowerBound, 0)
    end = min(range.upperBound, bytes.count)
  }

  /// Moves the reader to another value of the same bytes.
  mutating func move(to range: Range<Int>) {
    (position, end, depth) = (range.lowerBound, range.upperBound, 0)
  }

  /// Returns whether the next value is nil. If so, the reader skips it.
  public mutating func readNil() throws -> Bool {
    guard try peekTag() == .null else { return false }
    position += 1
    return true
  }

  /// Reads an array. The closure is called once for each element, and must read that element.
  ///
  /// - Returns: the elements.
  /// - Complexity: O(*n*) calls of the closure for *n* elements.
  public mutating func readArray<Element>(
    _ read: (inout ValueReader) throws -> Element
  ) throws -> [Element] {
    try elements(.array, read)
  }
}

extension ValueReader {
  /// Reads a value. If a reference in the value leads to nothing, skips the value and returns nil.
  mutating func readIfThere<Value: StateValue>(_: Value.Type) throws -> Value? {
    let start = mark
    do {
      return try Value.read(from: &self)
    } catch is ReferenceIsMissing {
      try skipAgain(from: start)
      return nil
    }
  }

  /// The place of the reader, to which ``skipAgain(from:)`` returns.
  var mark: (position: Int, end: Int, depth: Int) { (position, end, depth) }

  /// Skips the value at an earlier place of the reader. The reader may be inside a container that was
  /// not read to its end.
  mutating func skipAgain(from mark: (position: Int, end: Int, depth: Int)) throws {
    (position, end, depth) = mark
    try skip()
  }

  /// Reads the elements of a container. Elements for which the closure returns nil are left out.
  mutating func elements<Element>(
    _ tag: ValueTag, _ read: (inout ValueReader) throws -> Element?
  ) throws -> [Element] {
    let (end, count) = try enter(tag)
    var elements: [Element] = []
    // A damaged archive may have any count. Even then, only a little memory is reserved.
    elements.reserveCapacity(min(count, 4096))
    for _ in 0..<count {
      if let element = try read(&self) { elements.append(element) }
    }
    try leave(end)
    return elements
  }

  /// Returns the tag of the next value, without moving the reader.
  package func peekTag() throws -> ValueTag {
    guard position < end else { throw StateError(.damaged("they end where a value begins")) }
    guard let tag = ValueTag(rawValue: bytes[position]) else {
      throw StateError(.damaged("no value begins with the byte \(bytes[position])"))
    }
    return tag
  }

  package mutating func tag() throws -> ValueTag {
    let tag = try peekTag()
    position += 1
    return tag
  }

  /// Moves behind the tag of the next value. Throws an error if this is another tag.
  mutating func expect(_ expected: ValueTag) throws {
    let found = try tag()
    guard found == expected else { throw mismatch(expected.name, found) }
  }

  func mismatch(_ expected: String, _ found: ValueTag) -> StateError {
    StateError(.otherType(expected: expected, found: found.name))
  }

  /// Begins to read a container. Until ``leave(_:)`` is called, the reader ends where the container
  /// ends.
  ///
  /// - Returns: the end to pass to ``leave(_:)``, and the number of elements.
  package mutating func enter(_ tag: ValueTag) throws -> (end: Int, count: Int) {
    try expect(tag)
    guard depth < ValueWriter.depthLimit else {
      throw StateError(.tooDeep(limit: ValueWriter.depthLimit))
    }
    depth += 1
    let outer = end
    let (length, count) = try containerHead()
    end = position + length
    return (outer, count)
  }

  /// Reads the length of a container in bytes, and the number of its elements.
  mutating func containerHead() throws -> (length: Int, count: Int) {
    let length = Int(try fixed(UInt32.self))
    let count = Int(try fixed(UInt32.self))
    try check(count <= length ? length : .max)
    return (length, count)
  }

  /// Ends the reading of a container. Throws an error if not all bytes of the container were read.
  package mutating func leave(_ outer: Int) throws {
    guard position == end else { throw StateError(.damaged("a container has more elements")) }
    end = outer
    depth -= 1
  }

  /// Reads a little-endian integer of a fixed size.
  @inline(__always)
  mutating func fixed<Integer: FixedWidthInteger & BitwiseCopyable>(
    _: Integer.Type
  ) throws -> Integer {
    let size = MemoryLayout<Integer>.size
    guard size <= end - position else { throw StateError(.damaged("they end within a number")) }
    defer { position += size }
    return bytes.integer(at: position)
  }

  /// Reads a value of a fixed size, which has the given tag.
  @inline(__always)
  package mutating func fixed<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ tag: ValueTag
  ) throws -> Integer {
    try expect(tag)
    return try fixed(Integer.self)
  }

  /// Reads an integer of one to ten bytes. Each byte has seven bits of the integer, the lowest bits
  /// first.
  @inline(__always)
  mutating func varint() throws -> UInt64 {
    // Most integers are small.
    if position < end, bytes[position] < 0x80 {
      defer { position += 1 }
      return UInt64(bytes[position])
    }
    return try longVarint()
  }

  @inline(never)
  private mutating func longVarint() throws -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end {
      let byte = bytes[position]
      position += 1
      if shift == 63, byte > 1 { break }
      value |= UInt64(byte & 0x7F) << shift
      // A number has no more bytes than it needs.
      if byte == 0 { break }
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { break }
    }
    throw StateError(.damaged("a number is too long or ends early"))
  }

  /// Reads a signed integer that ``ValueWriter/writeZigzag(_:)`` has written.
  package mutating func zigzag() throws -> Int64 {
    let bits = try varint()
    return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  /// Throws an error if a length or a count is larger than the number of bytes that are left.
  @inline(__always)
  private func check(_ length: Int) throws {
    guard length <= end - position else {
      throw StateError(.damaged("a length is beyond their end"))
    }
  }

  /// Reads a length or a count, which is at most the number of bytes that are left.
  @inline(__always)
  mutating func length() throws -> Int {
    let length = Int(clamping: try varint())
    try check(length)
    return length
  }

  /// Skips a number of bytes.
  mutating func skip(_ count: Int) throws {
    try check(count)
    position += count
  }

  /// Reads a text without a tag: a length, and that many bytes of UTF-8.
  package mutating func text() throws -> String {
    if let text = bytes.text(try dataRange()) { return text }
    throw StateError(.damaged("a text is not UTF-8"))
  }

  /// Reads a text with the given tag.
  package mutating func text(_ tag: ValueTag) throws -> String {
    try expect(tag)
    return try text()
  }

  /// Reads a length and that many bytes, which have no tag.
  mutating func data() throws -> ArraySlice<UInt8> { bytes[try dataRange()] }

  /// Reads a length, skips that many bytes, and returns their range.
  @inline(__always)
  mutating func dataRange() throws -> Range<Int> {
    let length = try length()
    defer { position += length }
    return position..<position + length
  }

  /// Skips the next value without reading it.
  ///
  /// A container is skipped by its length, so the cost does not depend on the number of elements.
  package mutating func skip() throws {
    // An early part is followed by another value.
    var rest = 1
    while rest > 0 {
      rest -= 1
      while try peekTag() == .some { position += 1 }
      switch try tag() {
      case .null, .false, .true, .some: break
      case .integer: _ = try varint()
      case .largeInteger, .double, .date, .responder: try skip(8)
      case .float: try skip(4)
      case .uuid: try skip(16)
      case .text, .data, .url, .decimal: _ = try dataRange()
      case .reference: (_, _) = (try dataRange(), try dataRange())
      case .array, .dictionary, .integers: try skip(containerHead().length)
      case .early: rest += 2
      }
    }
  }
}
