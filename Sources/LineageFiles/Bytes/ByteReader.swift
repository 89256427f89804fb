/// Reads bytes one thing after another; never beyond their end, whatever they say.
@usableFromInline
package struct ByteReader {
  @usableFromInline let bytes: ByteView
  /// The number of bytes that were read.
  @usableFromInline package internal(set) var position = 0

  init(_ bytes: ByteView) { self.bytes = bytes }

  /// Whether all bytes were read.
  package var isAtEnd: Bool { position == bytes.count }

  /// Reads an integer, the lowest byte first.
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

  /// Reads a length, as ``ByteBuffer/append(length:)`` writes it.
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

  /// Reads so many bytes, which stay where they are.
  @inlinable
  @inline(__always)
  package mutating func view(_ count: Int) throws(ByteError) -> ByteView {
    guard let view = bytes.part(count, at: position) else {
      throw ByteError(.endsEarly, at: position)
    }
    position += count
    return view
  }

  /// Reads a copy of so many bytes.
  package mutating func bytes(_ count: Int) throws(ByteError) -> [UInt8] { try view(count).array }

  /// Reads a text, its length first.
  package mutating func text() throws(ByteError) -> String { try view(length()).text }
}
