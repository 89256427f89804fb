import LineageFiles

// The article CrashGuard has the layout of a book in the page.
extension StrikeBook {
  /// Returns the first 100 scalars of a version, for which there is room in the page.
  static func cut(_ version: String) -> String { String(version.unicodeScalars.prefix(100)) }

  /// The book as bytes.
  package var encoded: [UInt8] {
    var bytes = ByteBuffer(capacity: 1024)
    bytes.append(UInt32(0))
    bytes.append(UInt16(0))
    bytes.append(launch)
    bytes.append(UInt8(row))
    bytes.append(UInt8(bringsBack ? 1 : 0))
    bytes.append(version)
    bytes.append(UInt8(strikes.count))
    for strike in strikes {
      bytes.append(strike.place.number)
      bytes.append(UInt8(strike.count) | (strike.isRetried ? 0x80 : 0))
    }
    bytes.overwrite(UInt16(bytes.count - 6), at: 4)
    let checksum = bytes.withBytes { Self.checksum($0.extracting(4..<$0.count)) }
    bytes.overwrite(checksum, at: 0)
    return bytes.bytes(from: 0)
  }

  private static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    checksum.feed(bytes)
    return checksum.value
  }

  /// Reads a book from the beginning of bytes; nil if the book is damaged.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard let book = try? Array(bytes).withReader({ try Self.book(&$0) }) else { return nil }
    self = book
  }

  private static func book(_ reader: inout ByteReader) throws -> StrikeBook? {
    let checksum = try reader.integer(UInt32.self)
    var rest = reader
    let length = Int(try reader.integer(UInt16.self))
    let covered = try rest.bytes(2 + length)
    guard Self.checksum(covered.span) == checksum else { return nil }
    let launch = try reader.integer(UInt64.self)
    let (row, flags) = (try reader.integer(UInt8.self), try reader.integer(UInt8.self))
    var book = StrikeBook(version: try reader.text(), launch: launch)
    (book.row, book.bringsBack) = (Int(row), flags & 1 != 0)
    let places = Int(try reader.integer(UInt8.self))
    guard places <= limit else { return nil }
    for _ in 0..<places {
      let place = StrikePlace(try reader.integer(UInt64.self))
      let count = try reader.integer(UInt8.self)
      book.strikes.append(
        Strike(place: place, count: Int(count & 0x7F), isRetried: count & 0x80 != 0))
    }
    // The bytes after the payload are none of the book's.
    return reader.position == rest.position ? book : nil
  }
}
