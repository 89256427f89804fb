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

  /// Returns a record below the record with the given index; the application's record if the index
  /// is nil.
  package static func record(
    _ parent: Int?, _ identifier: String = "", kind: String = "", role: UInt8 = 0,
    _ values: [(key: String, value: [UInt8])] = []
  ) -> Item {
    ForgedRecord(
      parent: parent ?? 0, role: parent == nil ? 4 : role, identifier: identifier, kind: kind,
      values: values
    ).item
  }
}
