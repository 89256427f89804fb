// A graph archive begins with a preamble. It continues with the number of entities and, for each
// entity, its name, the number of its columns and their names. Then come the objects of each of
// these entities, in the order of their ids, and a zero after the last object of each entity. An
// object is its id and one value for each column. Then come the number of roots and, for each root,
// the index of its entity and its id. The last four bytes are the checksum of all bytes before
// them. Integers begin with their lowest byte.

import LineageFiles

/// The first 16 bytes of a graph archive, in every version of the format.
enum ArchivePreamble {
  static let size = 16
  /// The version of the format that this program writes. It reads no other version.
  static let currentFormat: UInt32 = 2

  /// Returns the preamble of an archive of a format.
  static func bytes(_ format: UInt32 = currentFormat) -> [UInt8] {
    var buffer = ByteBuffer(capacity: size)
    buffer.append(0x89 as UInt8)
    buffer.append(Array("LINEAGE".utf8).span)
    buffer.append(format)
    buffer.append(buffer.withBytes(Checksum.of))
    return buffer.bytes(from: 0)
  }

  /// Returns the version of the format of a file; nil if the file is not a graph archive.
  static func format(of file: borrowing InputFile) throws -> UInt32? {
    let start = try file.bytes(first: size)
    let format = start.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    return start == bytes(format) ? format : nil
  }
}

extension Checksum {
  /// Returns the checksum of bytes.
  static func of(_ bytes: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    checksum.feed(bytes)
    return checksum.value
  }
}
