import LineageFiles

/// The format of an archive: the layout of its bytes and the constants in them, which never change.
///
/// ```text
/// archive = header item* commit (item* commit)*
/// header  = "LINSTATE" major:u8 minor:u8 0:u16 generation:u64 checksum:u32
/// item    = length:u32 type:u8 checksum:u32 payload
/// ```
///
/// Integers are little-endian. The generation is the archive's serial number. An item's checksum
/// covers the payload, the type and the length of the item. It also covers the generation, and the
/// number of items before this item in the archive. So an item that was moved, repeated or taken
/// from another archive counts as damaged.
enum ArchiveFormat {
  static let magic = Array("LINSTATE".utf8)
  static let major: UInt8 = 1
  static let minor: UInt8 = 0
  static let headerSize = 24
  static let itemHeaderSize = 9

  /// The type of an item. Behind its header, an archive is a sequence of items.
  enum ItemType: UInt8 {
    /// The identifier, kind, slots and values of one responder or object.
    case record = 1
    /// The list of the records directly below a record, in order.
    case children = 2
    /// The end of a save, with the number of items that the save has written before it.
    case commit = 3
  }

  /// Returns the initial state for the checksum of an item. This state depends on the archive's
  /// generation.
  static func seed(generation: UInt64) -> Checksum {
    var checksum = Checksum()
    checksum.feed(generation)
    return checksum
  }

  /// Returns the checksum of an item. The index is the number of items before it in the archive.
  static func checksum(
    _ seed: Checksum, index: UInt64, type: UInt8, _ payload: Span<UInt8>
  ) -> UInt32 {
    var checksum = seed
    checksum.feed(index << 8 | UInt64(type), UInt64(payload.count))
    checksum.feed(payload)
    return checksum.value
  }

  /// Returns the header of an archive as bytes.
  static func header(generation: UInt64) -> [UInt8] {
    var bytes = ByteBuffer(capacity: headerSize)
    bytes.append(magic.span)
    bytes.append(major)
    bytes.append(minor)
    bytes.append(UInt16(0))
    bytes.append(generation)
    var checksum = Checksum()
    bytes.withBytes { checksum.feed($0) }
    bytes.append(checksum.value)
    return bytes.bytes(from: 0)
  }
}
