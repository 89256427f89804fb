import ObjectGraph

/// Why bytes are not what they should be, though their checksum is right.
struct Malformed: Error {
  let message: String
}

/// Reads bytes one thing after another; never beyond their end, whatever they say.
///
/// It is safe because each function makes sure that there are as many bytes as it reads, and because
/// only a ``ByteBuffer`` makes a reader, of bytes that it keeps in place while the reader is lent.
@safe
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  /// Reads bytes that outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  var isAtEnd: Bool { unsafe position == bytes.count }

  @inline(__always)
  private func require(_ count: Int) throws {
    guard unsafe count <= bytes.count - position else {
      throw Malformed(message: "it ends in the middle of something at its byte \(position)")
    }
  }

  /// An integer, the lowest byte first.
  @inline(__always)
  mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws -> Value {
    try require(MemoryLayout<Value>.size)
    defer { position += MemoryLayout<Value>.size }
    return unsafe Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
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

  @inline(__always)
  private mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
    try require(count)
    defer { position += count }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  /// A copy of so many bytes.
  mutating func bytes(_ count: Int) throws -> [UInt8] { try unsafe Array(take(count)) }

  /// A text, its length first.
  mutating func text() throws -> String {
    try unsafe String(decoding: take(length()), as: UTF8.self)
  }

  /// A text or a blob, its length first, as a cell of the bytes where they are.
  @inline(__always)
  mutating func cell(ofText isText: Bool) throws -> Cell {
    let count = try length()
    guard count <= Int(Int32.max) else { throw Malformed(message: "a value is too long") }
    let bytes = try unsafe take(count)
    return unsafe isText
      ? .text(bytes.baseAddress, bytes.count) : .blob(bytes.baseAddress, bytes.count)
  }
}
