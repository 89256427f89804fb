import LineageTestSupport

/// Encoded values for forged archives.
enum ForgedValue {
  /// Returns a container with the given count and length, even if they are wrong. A nil length
  /// means the true length.
  static func container(
    _ tag: UInt8, _ content: [UInt8], count: Int, length: Int? = nil
  ) -> [UInt8] {
    [tag] + Forgery.word(length ?? content.count) + Forgery.word(count) + content
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
    [16] + Forgery.text(context) + Forgery.text(text)
  }
}
