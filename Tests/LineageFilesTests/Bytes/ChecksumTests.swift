import LineageFiles
import LineageTestSupport
import Testing

@Suite("A checksum")
struct ChecksumTests {
  /// Computes CRC32C bit by bit.
  private static func slow(_ bytes: [UInt8]) -> UInt32 {
    var register: UInt32 = ~0
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0x82F6_3B78 : register >> 1 }
    }
    return ~register
  }

  private static func fast(_ bytes: [UInt8]) -> UInt32 {
    var checksum = Checksum()
    checksum.feed(bytes.span)
    return checksum.value
  }

  @Test(
    "It is the one that RFC 3720 and the catalogue of CRCs list",
    arguments: [
      (Array("123456789".utf8), 0xE306_9283), ([], 0),
      ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      (Array(0..<32), 0x46DD_794E), (Array((0..<32).reversed()), 0x113F_DB5C),
    ] as [([UInt8], UInt32)])
  func vectors(bytes: [UInt8], expected: UInt32) {
    #expect(Self.fast(bytes) == expected && Self.slow(bytes) == expected)
  }

  @Test("It is what a slow one gives, for any number of bytes fed in any parts")
  func slowOne() {
    let seed = SplitMix64.seed(41)
    var random = SplitMix64(seed: seed)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var checksum = Checksum()
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(1 + random.below(20))
        checksum.feed(Array(part).span)
        rest = rest.dropFirst(part.count)
      }
      #expect(checksum.value == Self.slow(bytes), "seed \(seed), \(count) bytes")
      #expect(Self.fast(bytes) == checksum.value, "seed \(seed), \(count) bytes")
      var portable = Checksum()
      portable.feedPortably(bytes.span)
      #expect(portable.value == checksum.value, "seed \(seed), \(count) bytes")
    }
  }

  @Test("An integer counts as its bytes, the lowest first")
  func integers() {
    var checksum = Checksum()
    checksum.feed(UInt8(0x31))
    checksum.feed(UInt32(0x3534_3332))
    checksum.feed(Int32(0x3938_3736))
    #expect(checksum.value == Self.slow(Array("123456789".utf8)))
    var negative = Checksum()
    negative.feed(Int64(-2))
    #expect(negative.value == Self.slow([0xFE] + [UInt8](repeating: 0xFF, count: 7)))
  }

  @Test("Each change of one bit changes it")
  func bits() {
    let bytes = Array("Each change of one bit".utf8)
    let checksum = Self.fast(bytes)
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(Self.fast(changed) != checksum, "bit \(bit)")
    }
  }
}
