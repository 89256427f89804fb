// A graph archive has one section `entities`, then sections `objects` of about 128 KB each, and
// then one section `end`. Objects are in the order of their entities and ids. The checksum of a
// section includes its number, its head and its content, so that exchanged sections are noticed.
// Integers begin with their lowest byte.

import LineageFiles

/// The first 16 bytes of a graph archive, in every version of the format.
struct ArchivePreamble {
  static let size = 16
  static let magic: [UInt8] = [0x89] + Array("LINEAGE".utf8)
  /// The version of the format that this program writes. It is also the newest version that this
  /// program reads.
  static let current: UInt32 = 1

  let format: UInt32

  static func append(to buffer: inout ByteBuffer, format: UInt32 = current) {
    var checksum = Checksum()
    let magic = magic
    buffer.append(magic.span)
    checksum.feed(magic.span)
    buffer.append(format)
    checksum.feed(format)
    buffer.append(checksum.value)
  }

  init(_ reader: inout ByteReader) throws {
    var checksum = Checksum()
    let start = try reader.bytes(Self.magic.count)
    guard start == Self.magic else { throw Malformed(message: "it is not a graph archive") }
    checksum.feed(start.span)
    format = try reader.integer(UInt32.self)
    checksum.feed(format)
    guard try reader.integer(UInt32.self) == checksum.value else {
      throw Malformed(message: "its checksum is wrong")
    }
  }
}

/// The number of sections and the number of bytes that the file must have.
struct ArchiveTotals {
  static let size = 16

  var sections: UInt32 = 0
  var length = UInt64(ArchivePreamble.size + ArchiveTotals.size)

  init() {}

  private var checksum: UInt32 {
    var checksum = Checksum()
    checksum.feed(sections)
    checksum.feed(length)
    return checksum.value
  }

  func append(to buffer: inout ByteBuffer) {
    buffer.append(sections)
    buffer.append(length)
    buffer.append(checksum)
  }

  init(_ reader: inout ByteReader) throws {
    sections = try reader.integer(UInt32.self)
    length = try reader.integer(UInt64.self)
    guard try reader.integer(UInt32.self) == checksum else {
      throw Malformed(message: "its checksum is wrong")
    }
  }
}

/// The head of a section, which describes its content.
struct SectionHead {
  static let size = 24

  enum SectionKind: UInt32 { case entities = 1, objects, end }

  var kind: SectionKind
  /// The entity's place in the archive; 0 in a section without objects.
  var entity: UInt32 = 0
  var count: UInt32
  var length: UInt64 = 0

  init(_ kind: SectionKind, entity: Int = 0, count: Int) {
    self.kind = kind
    self.entity = UInt32(entity)
    self.count = UInt32(count)
  }

  private func checksum(_ place: UInt32, _ content: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    checksum.feed(place)
    checksum.feed(kind.rawValue)
    checksum.feed(entity)
    checksum.feed(count)
    checksum.feed(length)
    checksum.feed(content)
    return checksum.value
  }

  func append(to buffer: inout ByteBuffer, at place: UInt32, _ content: Span<UInt8>) {
    buffer.append(kind.rawValue)
    buffer.append(entity)
    buffer.append(count)
    buffer.append(length)
    buffer.append(checksum(place, content))
  }

  /// Reads a section's head and the checksum that follows it. The caller then verifies the section
  /// by this checksum.
  static func read(_ reader: inout ByteReader) throws -> (SectionHead, checksum: UInt32) {
    let kind = try reader.integer(UInt32.self)
    guard let kind = SectionKind(rawValue: kind) else {
      throw Malformed(message: "no section is of kind \(kind)")
    }
    var head = SectionHead(kind, count: 0)
    head.entity = try reader.integer(UInt32.self)
    head.count = try reader.integer(UInt32.self)
    head.length = try reader.integer(UInt64.self)
    return (head, try reader.integer(UInt32.self))
  }

  func verify(
    _ expected: UInt32, at place: UInt32, _ content: Span<UInt8>
  ) throws {
    guard checksum(place, content) == expected else {
      throw Malformed(message: "its checksum is wrong")
    }
  }
}
