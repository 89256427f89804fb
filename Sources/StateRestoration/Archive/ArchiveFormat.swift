import LineageFiles

/// The format of an archive: the layout of its bytes and the constants in them, which never change.
///
/// ```text
/// archive = header record* end
/// header  = "LINSTATE" major:u8 minor:u8 0:u16 generation:u64 checksum:u32
/// record  = length:u32 parent:u32 checksum:u32 payload
/// end     = 0:u32 0xFFFFFFFF:u32 checksum:u32
/// ```
///
/// Integers are little-endian. The generation is the archive's serial number. Records have the
/// order of the levels of the tree: first the application's record, then those directly below it,
/// and so on. `parent` is the index of the record above; zero for the application's record. So the
/// records below one record come one after the other.
///
/// The checksum of a record covers its payload, length and parent, its index, and the generation. So
/// a record that was moved, repeated or taken from another archive counts as damaged. The checksum
/// of the end covers the number of records.
enum ArchiveFormat {
  static let magic = Array("LINSTATE".utf8)
  static let major: UInt8 = 3
  static let minor: UInt8 = 0
  static let headerSize = 24
  /// The number of bytes of a record before its payload.
  static let itemHeaderSize = 12
  /// The parent that marks the end.
  static let endParent = UInt32.max
  /// Generations at and above this number are refused. No program reaches it, but a forged archive
  /// could have a generation that leaves no room for later ones.
  static let generationLimit: UInt64 = 1 << 62

  /// Returns the initial state for the checksum of a record. This state depends on the archive's
  /// generation.
  static func seed(generation: UInt64) -> Checksum {
    var checksum = Checksum()
    checksum.feed(generation)
    return checksum
  }

  /// Returns the checksum of a record, or of the end. The index is the number of records before it.
  static func checksum(
    _ seed: Checksum, index: Int, parent: UInt32, _ payload: Span<UInt8>
  ) -> UInt32 {
    var checksum = seed
    checksum.feed(UInt64(index) << 32 | UInt64(parent), UInt64(payload.count))
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

  /// Returns the generation of an archive, given at least its first bytes. Only the header is read.
  ///
  /// - Throws: the fault if there are no bytes, or if they are no header of this format.
  static func generation(ofHeader bytes: [UInt8]) throws(StateArchive.Fault) -> UInt64 {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.starts(with: magic.prefix(bytes.count)) else { throw .foreign }
    guard bytes.count > magic.count else { throw .damaged("it ends within its header") }
    let format = bytes[magic.count]
    let isWhole = bytes.count >= headerSize
    if format != major {
      // Another format may have another header, so a matching checksum is not required. If the
      // checksum matches as soon as the byte of the format is that of this format, only that byte is
      // damaged.
      if isWhole, isHeader(bytes, format: major) { throw .damaged("its header") }
      throw format > major ? .newerFormat(Int(format)) : .olderFormat(Int(format))
    }
    guard isWhole else { throw .damaged("it ends within its header") }
    let generation: UInt64 = bytes.integer(at: 12)
    // A newer minor version is accepted, because an older reader may ignore its additions.
    guard isHeader(bytes, format: format), bytes[10] == 0, bytes[11] == 0,
      generation < generationLimit
    else { throw .damaged("its header") }
    return generation
  }

  /// Returns whether bytes begin with a header that matches its checksum. The checksum is computed
  /// with the given value as the byte of the format.
  private static func isHeader(_ bytes: [UInt8], format: UInt8) -> Bool {
    var header = Array(bytes[..<(headerSize - 4)])
    header[magic.count] = format
    var checksum = Checksum()
    checksum.feed(header.span)
    return bytes.integer(at: header.count) == checksum.value
  }
}
