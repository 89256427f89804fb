/// Why bytes are not what they should be, though their checksum is right.
struct Malformed: Error {
  let message: String
}

/// Reads bytes one thing after another; never beyond their end, whatever they say.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  /// Reads bytes that outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  @inline(__always)
  private func require(_ count: Int) throws {
    guard count <= bytes.count - position else {
      throw Malformed(message: "it ends in the middle of something at its byte \(position)")
    }
  }

  /// An integer, the lowest byte first.
  @inline(__always)
  mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws -> Value {
    try require(MemoryLayout<Value>.size)
    defer { position += MemoryLayout<Value>.size }
    return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
  }

  /// A length, as `ByteBuffer.append(length:)` writes it.
  @inline(__always)
  mutating func length() throws -> Int {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try integer(UInt8.self)
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
      guard shift < 56 else {
        throw Malformed(message: "a length at its byte \(position) is absurd")
      }
    }
    return Int(value)
  }

  /// So many bytes, where they are.
  @inline(__always)
  mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
    try require(count)
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  /// A text, its length first.
  mutating func text() throws -> String {
    String(decoding: try take(try length()), as: UTF8.self)
  }
}
