import LineageFiles
import ResponderChain

/// The writer of one value, passed to ``StateValue/write(to:)``.
public struct ValueWriter: ~Copyable {
  /// The bytes of the record that is being written.
  var bytes: ByteBuffer
  /// The number of arrays and dictionaries around the value that is being written.
  private var depth = 0
  /// The names of the contexts that the record's values need; see ``RecordHeader/needs``.
  var needs: [String] = []
  /// The encoder of Codable values; nil until the first one is written.
  var sink: AnyObject?
  /// The registered contexts, which references need. Nil for a value outside of a tree.
  var contexts: ContextTable?
  /// The responder that has the values. References are written with the contexts that this
  /// responder finds.
  var responder: Responder?

  /// The greatest number of levels to which values may be nested.
  static let depthLimit = 512

  init(capacity: Int = 256) { bytes = ByteBuffer(capacity: capacity) }

  /// Writes nil.
  public mutating func writeNil() { write(.null) }

  /// Writes an array of the given number of elements. The closure writes the elements.
  ///
  /// - Complexity: That of the closure.
  public mutating func writeArray(
    count: Int, _ body: (inout ValueWriter) throws -> Void
  ) throws {
    try write(.array, count: count, body)
  }

  /// Writes a container of the given number of elements, which the closure writes.
  mutating func write(
    _ tag: ValueTag, count: Int, _ body: (inout ValueWriter) throws -> Void
  ) throws {
    let start = try open(tag)
    try body(&self)
    close(start, count: count)
  }

  /// Begins a container: its length in bytes, the number of its elements, and the elements. The
  /// caller writes the elements next.
  ///
  /// - Returns: the position to pass to ``close(_:count:)``.
  mutating func open(_ tag: ValueTag) throws -> Int {
    guard depth < Self.depthLimit else { throw StateError(.tooDeep(limit: Self.depthLimit)) }
    depth += 1
    write(tag)
    bytes.append(UInt64(0))
    return bytes.count
  }

  /// Ends a container, and fills in its length and its number of elements.
  mutating func close(_ start: Int, count: Int) {
    depth -= 1
    bytes.overwrite(UInt32(clamping: bytes.count - start), at: start - 8)
    bytes.overwrite(UInt32(clamping: count), at: start - 4)
  }

  mutating func write(_ tag: ValueTag) { bytes.append(tag.rawValue) }

  /// Writes a value of a fixed size.
  mutating func write(_ tag: ValueTag, _ bits: some FixedWidthInteger) {
    write(tag)
    bytes.append(bits)
  }

  /// Writes a text with a tag.
  mutating func write(_ tag: ValueTag, _ text: String) {
    write(tag)
    bytes.append(text)
  }

  /// Writes a signed integer so that numbers near zero take few bytes. For example, 0, -1, 1 and -2
  /// are written as 0, 1, 2 and 3.
  mutating func writeZigzag(_ value: Int64) {
    bytes.append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Removes all bytes from a position on, because a value there cannot be archived. The position
  /// must be outside of all containers.
  mutating func abandon(from count: Int) {
    bytes.truncate(to: count)
    depth = 0
  }
}
