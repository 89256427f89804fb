import LineageFiles
import LineageTestSupport

/// An archive as a list of items. The items can be changed, and the checksums stay valid.
struct Forgery {
  struct Item {
    var type: UInt8
    var payload: [UInt8]
    /// The position of the item's first byte in the archive from which it was read.
    var position = 0
  }

  private var header: [UInt8]
  var items: [Item] = []

  /// Reads the items of an archive.
  init(_ bytes: [UInt8]) {
    header = Array(bytes[..<24])
    var place = 24
    while place + 9 <= bytes.count {
      let length = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
      items.append(
        Item(
          type: bytes[place + 4], payload: Array(bytes[place + 9..<place + 9 + length]),
          position: place))
      place += 9 + length
    }
  }

  /// Creates an archive of items, and adds the item that ends a save.
  init(header: [UInt8], _ items: [Item]) {
    self.header = Array(header[..<24])
    self.items = items + [Item(type: 3, payload: Self.varint(items.count))]
  }

  /// The bytes of the archive, with valid checksums.
  var bytes: [UInt8] {
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

  /// Makes one random change of an item, or of the order of the items.
  mutating func change(_ random: inout SplitMix64) {
    guard !items.isEmpty else { return }
    let index = random.below(items.count)
    switch random.below(12) {
    case 0: items.swapAt(index, random.below(items.count))
    case 1: items.insert(items[index], at: random.below(items.count))
    case 2: items.remove(at: index)
    case 3: items[index].type = UInt8(random.below(5))
    case 4: items[index].payload = items[random.below(items.count)].payload
    default: items[index].payload = Self.damage(items[index].payload, &random)
    }
  }

  /// Returns the bytes after a few random changes. A change flips, replaces, inserts, removes or
  /// moves bytes.
  static func damage(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.below(3) where !bytes.isEmpty {
      let start = random.below(bytes.count)
      let piece = start..<min(start + 1 + random.below(40), bytes.count)
      switch random.below(8) {
      case 0: bytes[start] ^= 1 << UInt8(random.below(8))
      case 1: bytes[start] = UInt8(random.below(256))
      case 2: bytes.insert(contentsOf: bytes[piece], at: random.below(bytes.count))
      case 3: bytes.removeSubrange(piece)
      case 4: bytes.removeSubrange(start...)
      case 5: bytes.replaceSubrange(piece, with: bytes[piece].map { _ in 0xFF })
      case 6: bytes += bytes[start...]
      default: bytes.swapAt(start, random.below(bytes.count))
      }
    }
    return bytes
  }
}

extension Forgery {
  /// Returns the lowest four bytes of a number, the lowest byte first.
  static func word(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Returns the bytes of a number with seven bits in each byte, the lowest bits first.
  static func varint(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = UInt64(number)
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Returns the length of a text in bytes, followed by the text in UTF-8.
  static func text(_ text: String) -> [UInt8] { varint(text.utf8.count) + Array(text.utf8) }

  /// Returns the bytes of an archive of another format, with a valid checksum of the header.
  static func forge(_ bytes: [UInt8], format: UInt8) -> [UInt8] {
    var forged = bytes
    forged[8] = format
    var checksum = Checksum()
    checksum.feed(forged.span.extracting(0..<20))
    forged.replaceSubrange(20..<24, with: word(Int(checksum.value)))
    return forged
  }

  /// Returns an item that contains a record.
  static func record(
    _ id: Int, _ identifier: String, kind: String = "", role: UInt8 = 0,
    _ values: [(key: String, value: [UInt8])] = []
  ) -> Item {
    let entries = values.map { (key: Array($0.key.utf8), value: $0.value) }
    return record(id, identifier, kind: kind, role: role, bytes: entries)
  }

  /// Returns a record's item. The keys of its values need not be UTF-8.
  static func record(
    _ id: Int, _ identifier: String, kind: String = "", role: UInt8 = 0,
    bytes values: [(key: [UInt8], value: [UInt8])]
  ) -> Item {
    let entries = values.flatMap { varint($0.key.count) + $0.key + word($0.value.count) + $0.value }
    return Item(
      type: 1,
      payload: varint(id) + word(entries.count + 4) + word(values.count) + entries
        + [id == 0 ? 4 : role] + text(identifier) + text(kind) + [1, 0, 0, 0])
  }

  /// Returns an item that contains the list of a record's children.
  static func list(_ id: Int, _ children: some Collection<Int>) -> Item {
    var payload = varint(id) + varint(children.count)
    var last = 0
    for child in children {
      let step = child - last
      payload += varint(step < 0 ? -step * 2 - 1 : step * 2)
      last = child
    }
    return Item(type: 2, payload: payload)
  }
}
