import LineageFiles

/// An archive as a list of items. The items can be changed, and the checksums stay valid.
package struct Forgery: Sendable {
  package struct Item: Sendable {
    package var type: UInt8
    package var payload: [UInt8]
    /// The position of the item's first byte in the archive from which it was read.
    package var position = 0

    package init(type: UInt8, payload: [UInt8]) { (self.type, self.payload) = (type, payload) }
  }

  private let header: [UInt8]
  package var items: [Item] = []

  /// Reads the items of an archive.
  package init(_ bytes: [UInt8]) {
    header = Array(bytes[..<24])
    var place = 24
    while place + 9 <= bytes.count {
      let length = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
      var item = Item(
        type: bytes[place + 4], payload: Array(bytes[place + 9..<place + 9 + length]))
      item.position = place
      items.append(item)
      place += 9 + length
    }
  }

  /// Creates an archive of items, and adds the item that ends a save. Only the first 24 bytes of
  /// `header` are used, so a whole archive can be given.
  package init(header: [UInt8], _ items: [Item]) {
    self.header = Array(header[..<24])
    self.items = items + [Item(type: 3, payload: Self.varint(items.count))]
  }

  /// The bytes of the archive, with valid checksums.
  package var bytes: [UInt8] {
    var seed = Checksum()
    seed.feed(header[12..<20].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    var result = header
    for (index, item) in items.enumerated() {
      var checksum = seed
      checksum.feed(UInt64(index) << 8 | UInt64(item.type))
      checksum.feed(UInt64(item.payload.count))
      checksum.feed(item.payload.span)
      result += Self.word(item.payload.count)
      result.append(item.type)
      result += Self.word(Int(checksum.value)) + item.payload
    }
    return result
  }
}

extension Forgery {
  /// Returns the header of an archive of format 1 with the given generation.
  package static func header(generation: UInt64) -> [UInt8] {
    let bytes = Array("LINSTATE".utf8) + [UInt8](repeating: 0, count: 16)
    return forge(forge(bytes, format: 1), generation: generation)
  }

  /// Returns the bytes of an archive of another format, with a valid checksum of the header.
  package static func forge(_ bytes: [UInt8], format: UInt8) -> [UInt8] {
    var forged = bytes
    forged[8] = format
    return withValidHeader(forged)
  }

  /// Returns the bytes of an archive with another generation and valid checksums.
  package static func forge(_ bytes: [UInt8], generation: UInt64) -> [UInt8] {
    var forged = bytes
    for byte in 0..<8 { forged[12 + byte] = UInt8(truncatingIfNeeded: generation >> (8 * byte)) }
    // The checksum of each item depends on the generation too.
    return Forgery(withValidHeader(forged)).bytes
  }

  private static func withValidHeader(_ bytes: [UInt8]) -> [UInt8] {
    var checksum = Checksum()
    checksum.feed(bytes.span.extracting(0..<20))
    return bytes[..<20] + word(Int(checksum.value)) + bytes[24...]
  }
}
