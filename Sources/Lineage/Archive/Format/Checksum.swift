/// CRC32C (Castagnoli), eight bytes a step.
struct Checksum {
  private var register: UInt32 = ~0

  /// The checksum of what was fed.
  var value: UInt32 { ~register }

  /// Table `k` says what a byte does that is followed by `k` others, at `256 * k + byte`.
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

  /// Feeds bytes.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    register = Self.tables.withUnsafeBufferPointer { Self.advance(register, over: bytes, $0) }
  }

  /// Feeds an integer's bytes, the lowest first.
  mutating func feed<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { feed($0) }
  }

  private static func advance(
    _ start: UInt32, over bytes: UnsafeRawBufferPointer, _ tables: UnsafeBufferPointer<UInt32>
  ) -> UInt32 {
    var register = start
    var position = 0
    while position + 8 <= bytes.count {
      let word = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let mixed = word ^ UInt64(register)
      register = 0
      for byte in 0..<8 {
        register ^= tables[(7 - byte) * 256 + Int(mixed >> (8 * UInt64(byte)) & 0xFF)]
      }
      position += 8
    }
    while position < bytes.count {
      register = register >> 8 ^ tables[Int((register ^ UInt32(bytes[position])) & 0xFF)]
      position += 1
    }
    return register
  }
}
