/// A reader that takes one value after another from bytes. It never reads beyond the end of the
/// bytes, even if they contain a wrong length.
@usableFromInline
package struct ByteReader {
  @usableFromInline let bytes: ByteView
  /// The number of bytes read so far.
  @usableFromInline package internal(set) var position = 0

  init(_ bytes: ByteView) { self.bytes = bytes }

  /// Whether all bytes have been read.
  package var isAtEnd: Bool { position == bytes.count }

  /// Reads an integer that is stored lowest byte first.
  @inlinable
  @inline(__always)
  package mutating func integer<Value: FixedWidthInteger>(
    _: Value.Type
  ) throws(ByteError) -> Value {
    guard let value = bytes.integer(Value.self, at: position) else {
      throw ByteError(.endsEarly, at: position)
    }
    position += MemoryLayout<Value>.size
    return value
  }

  /// Reads a length that ``ByteBuffer/append(length:)`` has written.
  @inlinable
  @inline(__always)
  package mutating func length() throws(ByteError) -> Int {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try integer(UInt8.self)
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
      guard shift < 56 else { throw ByteError(.absurdLength, at: position) }
    }
    return Int(value)
  }

  /// Reads the given number of bytes without copying them.
  @inlinable
  @inline(__always)
  package mutating func view(_ count: Int) throws(ByteError) -> ByteView {
    guard let view = bytes.part(count, at: position) else {
      throw ByteError(.endsEarly, at: position)
    }
    position += count
    return view
  }

  /// Reads a copy of the given number of bytes.
  package mutating func bytes(_ count: Int) throws(ByteError) -> [UInt8] { try view(count).array }

  /// Reads a length, and then a text with that number of bytes.
  package mutating func text() throws(ByteError) -> String { try view(length()).text }
}
