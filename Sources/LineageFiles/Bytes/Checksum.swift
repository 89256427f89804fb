import CLineageRuntime

/// A CRC32C (Castagnoli) checksum. It is computed in steps of eight bytes, by the processor's own
/// instruction if there is one.
package struct Checksum {
  private var register: UInt32 = ~0
  private static let isBuiltIn = lineage_has_crc32c()

  package init() {}

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~register }

  /// The effect of each byte value on the register. If `k` more bytes follow a byte in a step of
  /// eight bytes, the effect of the byte is at `256 * k + byte`.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var register = UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 0 ? register >> 1 : register >> 1 ^ 0x82F6_3B78 }
      tables[byte] = register
    }
    for index in 256..<(8 * 256) {
      let last = tables[index - 256]
      tables[index] = last >> 8 ^ tables[Int(last & 0xFF)]
    }
    return tables
  }()

  /// Adds bytes to the checksum.
  package mutating func feed(_ bytes: Span<UInt8>) {
    if Self.isBuiltIn {
      return register = unsafe bytes.withUnsafeBufferPointer {
        unsafe lineage_crc32c(register, $0.baseAddress, $0.count)
      }
    }
    feedByTables(bytes)
  }

  /// Adds bytes to the checksum without the processor's special instruction.
  package mutating func feedByTables(_ bytes: Span<UInt8>) {
    let tables = Self.tables
    register = Self.advance(register, over: bytes, tables.span)
  }

  /// Adds the bytes of an integer to the checksum, lowest byte first.
  package mutating func feed<Value: FixedWidthInteger>(_ value: Value) {
    var rest = value
    for _ in 0..<Value.bitWidth / 8 {
      feed(byte: UInt8(truncatingIfNeeded: rest))
      rest = rest >> 8
    }
  }

  /// Adds the eight bytes of an integer in one step, lowest byte first.
  package mutating func feed(_ value: UInt64) {
    if Self.isBuiltIn {
      var bytes = value.littleEndian
      return register = unsafe withUnsafeBytes(of: &bytes) {
        unsafe lineage_crc32c(
          register, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
      }
    }
    let tables = Self.tables
    register = Self.advance(register, by: value, tables.span)
  }

  /// Adds the bytes of two integers, lowest byte first. If the processor has an instruction for the
  /// checksum, both integers are added in one call.
  package mutating func feed(_ first: UInt64, _ second: UInt64) {
    guard Self.isBuiltIn else {
      feed(first)
      return feed(second)
    }
    var bytes = (first.littleEndian, second.littleEndian)
    register = unsafe withUnsafeBytes(of: &bytes) {
      unsafe lineage_crc32c(register, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
    }
  }

  private mutating func feed(byte: UInt8) {
    let tables = Self.tables
    register = Self.advance(register, by: byte, tables.span)
  }

  private static func advance(
    _ start: UInt32, over bytes: Span<UInt8>, _ tables: Span<UInt32>
  ) -> UInt32 {
    var register = start
    var position = 0
    while position + 8 <= bytes.count {
      let block = bytes.extracting(position..<position + 8)
      var word: UInt64 = 0
      for byte in 0..<8 { word |= UInt64(block[byte]) << (8 * UInt64(byte)) }
      register = advance(register, by: word, tables)
      position += 8
    }
    while position < bytes.count {
      register = advance(register, by: bytes[position], tables)
      position += 1
    }
    return register
  }

  @inline(__always)
  private static func advance(
    _ register: UInt32, by word: UInt64, _ tables: Span<UInt32>
  ) -> UInt32 {
    let mixed = word ^ UInt64(register)
    var result: UInt32 = 0
    for byte in 0..<8 {
      result ^= tables[(7 - byte) * 256 + Int(mixed >> (8 * UInt64(byte)) & 0xFF)]
    }
    return result
  }

  private static func advance(
    _ register: UInt32, by byte: UInt8, _ tables: Span<UInt32>
  ) -> UInt32 {
    register >> 8 ^ tables[Int((register ^ UInt32(byte)) & 0xFF)]
  }
}
