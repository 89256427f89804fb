import Foundation

/// The file of a graph archive. It is read and written without the library, as a second
/// implementation of the format.
struct ArchiveBytes {
  var format = 2
  /// The bytes between the preamble and the checksum.
  var content: [UInt8]

  init(_ content: [UInt8]) { self.content = content }

  init(_ data: Data) { content = Array(data.dropFirst(16).dropLast(4)) }

  /// The bytes of the file, with the correct checksums.
  var data: Data {
    let start = [0x89] + Array("LINEAGE".utf8) + Self.bytes(format, 4)
    let body = start + Self.bytes(Int(Self.checksum(start)), 4) + content
    return Data(body + Self.bytes(Int(Self.checksum(body)), 4))
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

  /// Returns the bytes of an integer, lowest byte first.
  static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns a short text with its length.
  static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  /// Returns the name of an entity and the names of its columns.
  static func entity(_ name: String, _ columns: String...) -> [UInt8] {
    text(name) + [UInt8(columns.count)] + columns.flatMap(text)
  }

  /// Returns an object. Its values are bytes with their tags.
  static func object(_ key: Int, _ values: [UInt8]...) -> [UInt8] {
    bytes(key, 8) + values.flatMap { $0 }
  }

  /// The bytes after the last object of an entity.
  static let end = bytes(0, 8)
}
