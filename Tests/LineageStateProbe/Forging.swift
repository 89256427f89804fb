import LineageFiles

/// An archive with valid checksums and content that a save never writes.
struct ForgedArchive {
  private(set) var bytes: [UInt8]
  private var index: UInt64 = 0
  private var count: UInt64 = 0
  private static let generation: UInt64 = 1

  /// Creates an archive that has only its header.
  init() {
    bytes = Array("LINSTATE".utf8) + [1, 0, 0, 0]
    bytes += Self.bytes(of: Self.generation)
    var checksum = Checksum()
    checksum.feed(bytes.span)
    bytes += Self.bytes(of: checksum.value)
  }

  /// Returns the bytes of an integer, the lowest byte first.
  static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Returns the bytes of an integer with seven bits in each byte, the lowest bits first.
  static func varint(_ number: some FixedWidthInteger) -> [UInt8] {
    var rest = UInt64(number)
    var bytes: [UInt8] = []
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  /// Returns the length of a text in bytes, followed by the text in UTF-8.
  static func text(_ text: String) -> [UInt8] { varint(text.utf8.count) + text.utf8 }

  private mutating func add(type: UInt8, _ payload: [UInt8]) {
    var checksum = Checksum()
    checksum.feed(Self.generation)
    checksum.feed(index << 8 | UInt64(type))
    checksum.feed(UInt64(payload.count))
    checksum.feed(payload.span)
    bytes += Self.bytes(of: UInt32(payload.count)) + [type] + Self.bytes(of: checksum.value)
    bytes += payload
    index += 1
    count += 1
  }

  /// Adds a record.
  mutating func add(_ record: ForgedRecord) { add(type: 1, record.payload) }

  /// Adds the list of a record's children. `announced` is the number of children that the list
  /// claims to have; nil means their true number.
  mutating func add(children: [Int], of id: Int, announced: Int? = nil) {
    var payload = Self.varint(id) + Self.varint(announced ?? children.count)
    payload.reserveCapacity(payload.count + children.count)
    var last = 0
    for child in children {
      let step = child - last
      payload += Self.varint(UInt64(bitPattern: Int64(step << 1 ^ step >> 63)))
      last = child
    }
    add(type: 2, payload)
  }

  /// Adds the item that ends a save.
  mutating func commit() {
    add(type: 3, Self.varint(count))
    count = 0
  }

  /// Adds bytes that do not form an item.
  mutating func add(rest: [UInt8]) { bytes += rest }
}

/// A record of a forged archive. Each of its parts can be set to bytes that a save never writes.
struct ForgedRecord {
  var id = 0
  var role: UInt8 = 0
  var identifier = ""
  var kind = ""
  var version: UInt64 = 1
  var launches: [UInt8] = [0]
  /// The values, each with its key and its encoded bytes.
  var values: [(key: String, bytes: [UInt8])] = []
  /// The bytes that are written in place of `values`; nil means that `values` is written.
  var entries: [UInt8]?
  /// The number of values that the record claims to have; nil means their true number.
  var count: UInt32?
  /// The encoded list of the contexts that the record needs: their number, then their names.
  var needs: [UInt8] = [0]
  /// The encoded list of the record's slots: their number, then each slot.
  var slots: [UInt8] = [0]

  fileprivate var payload: [UInt8] {
    let entries =
      entries
      ?? values.flatMap {
        ForgedArchive.text($0.key) + ForgedArchive.bytes(of: UInt32($0.bytes.count)) + $0.bytes
      }
    var payload = ForgedArchive.varint(id)
    payload += ForgedArchive.bytes(of: UInt32(entries.count + 4))
    payload += ForgedArchive.bytes(of: count ?? UInt32(values.count)) + entries
    payload += [role] + ForgedArchive.text(identifier) + ForgedArchive.text(kind)
    payload += ForgedArchive.varint(version) + launches
    return payload + needs + slots
  }
}

/// Encoded values for forged archives.
enum ForgedValue {
  /// Returns a container with the given count and length, even if they are wrong. A nil length
  /// means the true length.
  static func container(
    _ tag: UInt8, _ content: [UInt8], count: UInt32, length: UInt32? = nil
  ) -> [UInt8] {
    [tag] + ForgedArchive.bytes(of: length ?? UInt32(content.count))
      + ForgedArchive.bytes(of: count) + content
  }

  /// Returns `depth` containers, each inside the one before it, with their true lengths. They are
  /// dictionaries if a key is given, and arrays otherwise.
  static func nested(_ depth: Int, key: [UInt8]? = nil, around inner: [UInt8]) -> [UInt8] {
    let level = 9 + (key?.count ?? 0)
    var bytes = [UInt8](repeating: 0, count: depth * level)
    bytes.withUnsafeMutableBytes { bytes in
      for number in 0..<depth {
        let place = number * level
        bytes[place] = key == nil ? 12 : 13
        let length = UInt32((depth - 1 - number) * level + inner.count + (key?.count ?? 0))
        bytes.storeBytes(of: length.littleEndian, toByteOffset: place + 1, as: UInt32.self)
        bytes[place + 5] = 1
        for (index, byte) in (key ?? []).enumerated() { bytes[place + 9 + index] = byte }
      }
    }
    return bytes + inner
  }

  /// Returns an encoded reference to an object of a context: the context's name, then the text that
  /// identifies the object.
  static func reference(_ text: String, _ context: String = "notes") -> [UInt8] {
    [16] + ForgedArchive.text(context) + ForgedArchive.text(text)
  }
}
