extension Forgery {
  /// Returns the lowest four bytes of a number, the lowest byte first.
  package static func word(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Returns the bytes of a number with seven bits in each byte, the lowest bits first.
  package static func varint(_ number: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = UInt64(number)
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Returns the length of a text in bytes, followed by the text in UTF-8.
  package static func text(_ text: String) -> [UInt8] { varint(text.utf8.count) + text.utf8 }

  /// Returns the bytes of one entry of a record: the key, then the value. The key need not be
  /// UTF-8.
  package static func entry(_ key: some Collection<UInt8>, _ value: [UInt8]) -> [UInt8] {
    varint(key.count) + key + word(value.count) + value
  }

  /// Returns an item that contains a record.
  package static func record(
    _ id: Int, _ identifier: String, kind: String = "", role: UInt8 = 0,
    _ values: [(key: String, value: [UInt8])] = []
  ) -> Item {
    let role = id == 0 ? 4 : role
    return ForgedRecord(id: id, role: role, identifier: identifier, kind: kind, values: values).item
  }

  /// Returns an item that contains the list of a record's children. `announced` is the number of
  /// children that the list claims to have; nil means their true number.
  package static func list(
    _ id: Int, _ children: some Collection<Int>, announced: Int? = nil
  ) -> Item {
    var payload = varint(id) + varint(announced ?? children.count)
    payload.reserveCapacity(payload.count + children.count)
    var last = 0
    for child in children {
      let step = child - last
      payload += varint(step < 0 ? -step * 2 - 1 : step * 2)
      last = child
    }
    return Item(type: 2, payload: payload)
  }
}
