import Foundation
import Lineage

/// The parts of the file of a graph archive. They are read and written without the library, as a
/// second implementation of the format.
struct ArchiveBytes {
  var preamble: [UInt8]
  var sections: [(head: [UInt8], content: [UInt8])] = []

  init(_ data: Data) {
    let bytes = [UInt8](data)
    preamble = Array(bytes[..<16])
    var place = 32
    while place < bytes.count {
      let length = Int(Self.integer(bytes[(place + 12)..<(place + 20)]))
      let head = Array(bytes[place..<(place + 20)])
      sections.append((head, Array(bytes[(place + 24)..<(place + 24 + length)])))
      place += 24 + length
    }
  }

  /// The bytes of the file, with the correct checksums and totals.
  var data: Data {
    var body: [UInt8] = []
    for (place, section) in sections.enumerated() {
      let head = Array(section.head[..<12]) + Self.bytes(section.content.count, 8)
      let checksum = Self.checksum(Self.bytes(place, 4) + head + section.content)
      body += head + Self.bytes(Int(checksum), 4) + section.content
    }
    let start = Array(preamble[..<12])
    let totals = Self.bytes(sections.count, 4) + Self.bytes(32 + body.count, 8)
    return Data(
      start + Self.bytes(Int(Self.checksum(start)), 4)
        + totals + Self.bytes(Int(Self.checksum(totals)), 4) + body)
  }

  /// Computes CRC32C bit by bit.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var register: UInt32 = ~0
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0x82F6_3B78 : register >> 1 }
    }
    return ~register
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
