/// A reader that takes one value after another from bytes. It never reads beyond the end of the
/// bytes, even if they contain a wrong length.
///
/// The type is safe because only ``ByteBuffer/withReader(_:)`` and the same function of an array
/// make a reader. They keep the bytes in place during the closure's call, and a reader is valid
/// only during this call.
@safe
@usableFromInline
package struct ByteReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// The number of bytes read so far.
  @usableFromInline package internal(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  /// Whether all bytes have been read.
  package var isAtEnd: Bool { unsafe position == bytes.count }

  /// Skips the given number of bytes.
  @inlinable @inline(__always)
  package mutating func skip(_ count: Int) throws(ByteError) {
    guard count >= 0, unsafe count <= bytes.count - position else {
      throw .endsEarly(position: position)
    }
    position += count
  }

  /// Reads an integer that is stored lowest byte first.
  @inlinable @inline(__always)
  package mutating func integer<Value: FixedWidthInteger>(
    _: Value.Type
  ) throws(ByteError) -> Value {
    let start = position
    try skip(MemoryLayout<Value>.size)
    return unsafe Value(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: Value.self))
  }

  /// Reads a length that ``ByteBuffer/append(length:)`` has written.
  @inlinable @inline(__always)
  package mutating func length() throws(ByteError) -> Int {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try integer(UInt8.self)
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
      guard shift < 56 else { throw .absurdLength(position: position) }
    }
    return Int(value)
  }

  /// Reads the given number of bytes without copying them. The result is valid as long as the
  /// reader.
  @inlinable @inline(__always)
  package mutating func view(_ count: Int) throws(ByteError) -> UnsafeRawBufferPointer {
    try skip(count)
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[position - count..<position])
  }

  /// Reads a copy of the given number of bytes.
  package mutating func bytes(_ count: Int) throws(ByteError) -> [UInt8] {
    try unsafe Array(view(count))
  }

  /// Reads a length, and then a text with that number of bytes. Invalid UTF-8 is replaced.
  package mutating func text() throws(ByteError) -> String {
    try unsafe String(decoding: view(length()), as: UTF8.self)
  }
}

extension [UInt8] {
  /// Calls a closure with a reader that begins at the first byte.
  package func withReader<Result>(_ body: (inout ByteReader) throws -> Result) rethrows -> Result {
    try unsafe withUnsafeBytes {
      var reader = unsafe ByteReader($0)
      return try body(&reader)
    }
  }
}
