import Foundation

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
      guard bits < 0x80 else { return unsafe String(validating: bytes, as: UTF8.self) }
      // A text in ASCII is always valid UTF-8, so it needs no validation.
      return unsafe String(unsafeUninitializedCapacity: bytes.count) {
        unsafe $0.initialize(from: bytes).index
      }
    }
  }

  /// Returns whether the bytes in a range equal the other bytes.
  @inline(__always)
  func isEqual(_ range: Range<Int>, _ other: Span<UInt8>) -> Bool {
    guard range.count == other.count, other.isEmpty || self[range.lowerBound] == other[0] else {
      return false
    }
    return unsafe span.extracting(range).withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { others in
        // Both buffers have the same length, and no pointer leaves the closures.
        guard let own = own.baseAddress, let other = others.baseAddress else { return true }
        return unsafe memcmp(own, other, others.count) == 0
      }
    }
  }
}
