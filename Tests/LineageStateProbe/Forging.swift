import LineageFiles

/// An archive with valid checksums, whose content no save would write.
struct ForgedArchive {
  private(set) var bytes: [UInt8]
  private var index: UInt64 = 0
  private var count: UInt64 = 0
  private static let generation: UInt64 = 1

  /// Makes an archive that has only its header.
  init() {
    bytes = Array("LINSTATE".utf8) + [1, 0, 0, 0]
    bytes += Self.bytes(of: Self.generation)
    var checksum = Checksum()
    checksum.feed(bytes.span)
    bytes += Self.bytes(of: checksum.value)
  }

  /// Returns the bytes of an integer, the lowest first.
  static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Returns an integer in groups of seven bits, the lowest first.
  static func varint(_ number: some FixedWidthInteger) -> [UInt8] {
    var rest = UInt64(number)
    var bytes: [UInt8] = []
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  /// Returns a text with its length.
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

  /// Adds the list of the records below a record. It has the given number of entries, and announces
  /// as many unless told otherwise.
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

  /// Ends a save.
  mutating func commit() {
    add(type: 3, Self.varint(count))
    count = 0
  }

  /// Adds bytes that are no item.
  mutating func add(rest: [UInt8]) { bytes += rest }
}

/// A record of a forged archive. Each of its parts may be replaced by other bytes.
struct ForgedRecord {
  var id = 0
  var role: UInt8 = 0
  var identifier = ""
  var kind = ""
  var version: UInt64 = 1
  var launches: [UInt8] = [0]
  /// The keys and the bytes of the values.
  var values: [(key: String, bytes: [UInt8])] = []
  /// The bytes of all values, in place of those above.
  var entries: [UInt8]?
  /// The announced number of values.
  var count: UInt32?
  /// The number of needed contexts, and their names.
  var needs: [UInt8] = [0]
  /// The number of slots, and the slots.
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

/// The bytes of values that no save would write.
enum ForgedValue {
  /// Returns a container with a length and a count of its own.
  static func container(
    _ tag: UInt8, _ content: [UInt8], count: UInt32, length: UInt32? = nil
  ) -> [UInt8] {
    [tag] + ForgedArchive.bytes(of: length ?? UInt32(content.count))
      + ForgedArchive.bytes(of: count) + content
  }

  /// Returns containers in each other, each with its true length. If a key is given, they are
  /// dictionaries, else arrays.
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

  /// Returns a reference to a page of the notebook "root".
  static func reference(_ text: String, _ context: String = "notes") -> [UInt8] {
    [16] + ForgedArchive.text(context) + ForgedArchive.text(text)
  }
}
