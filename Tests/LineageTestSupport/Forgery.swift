import LineageFiles

/// An archive as a list of items: its records, and its end. The items can be changed, and the
/// checksums stay valid.
package struct Forgery: Sendable {
  package struct Item: Sendable {
    /// The index of the record above.
    package var parent: Int
    package var payload: [UInt8]
    /// The position of the item's first byte in the archive from which it was read.
    package var position = 0

    package init(parent: Int, payload: [UInt8]) { (self.parent, self.payload) = (parent, payload) }

    /// The number of bytes before an item's payload.
    package static let headerSize = 12
    /// The item that ends an archive.
    package static let end = Item(parent: 0xFFFF_FFFF, payload: [])
  }

  private let header: [UInt8]
  package var items: [Item] = []

  /// Reads the items of an archive.
  package init(_ bytes: [UInt8]) {
    header = Array(bytes[..<24])
    var place = 24
    func word(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) } }
    while place + Item.headerSize <= bytes.count {
      let start = place + Item.headerSize
      let payload = bytes[start..<start + word(place)]
      var item = Item(parent: word(place + 4), payload: Array(payload))
      item.position = place
      items.append(item)
      place = payload.endIndex
    }
  }

  /// Creates an archive of records, and adds its end. Only the first 24 bytes of
  /// `header` are used, so a whole archive can be given.
  package init(header: [UInt8], _ items: [Item]) {
    self.header = Array(header[..<24])
    self.items = items + [.end]
  }

  /// The bytes of the archive, with valid checksums.
  package var bytes: [UInt8] {
    var seed = Checksum()
    seed.feed(header[12..<20].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    var result = header
    for (index, item) in items.enumerated() {
      var checksum = seed
      checksum.feed(UInt64(index) << 32 | UInt64(UInt32(truncatingIfNeeded: item.parent)))
      checksum.feed(UInt64(item.payload.count))
      checksum.feed(item.payload.span)
      result += Self.word(item.payload.count)
      result += Self.word(item.parent) + Self.word(Int(checksum.value)) + item.payload
    }
    return result
  }
}

extension Forgery {
  /// Returns the header of an archive of the present format with the given generation.
  package static func header(generation: UInt64) -> [UInt8] {
    let bytes = Array("LINSTATE".utf8) + [UInt8](repeating: 0, count: 16)
    return forge(forge(bytes, format: 3), generation: generation)
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
