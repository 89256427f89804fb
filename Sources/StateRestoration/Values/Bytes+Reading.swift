/// Functions that read integers and texts from an archive's bytes, and compare bytes. A read
/// outside of the bytes stops the program.
extension [UInt8] {
  /// Returns the little-endian integer that begins at a position.
  func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at position: Int) -> Integer {
    precondition(
      position >= 0 && position <= count - MemoryLayout<Integer>.size, "no such bytes")
    return unsafe Integer(
      littleEndian: span.bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: position, as: Integer.self))
  }

  /// Returns the text in a range; nil if it is not UTF-8.
  func text(_ range: Range<Int>) -> String? {
    let part = span.extracting(range)
    var bits: UInt8 = 0
    for index in part.indices { bits |= part[index] }
    return unsafe part.withUnsafeBufferPointer { bytes in
      // A text in ASCII is always valid UTF-8, so it does without the slower validation.
      if bits < 0x80 { return unsafe String(decoding: bytes, as: UTF8.self) }
      return unsafe String(validating: bytes, as: UTF8.self)
    }
  }

  /// Returns whether the bytes in a range equal the other bytes.
  @inline(__always)
  func isEqual(_ range: Range<Int>, _ other: Span<UInt8>) -> Bool {
    guard range.count == other.count, other.isEmpty || self[range.lowerBound] == other[0] else {
      return false
    }
    let part = span.extracting(range)
    for offset in 0..<other.count where part[offset] != other[offset] { return false }
    return true
  }
}
