/// One value of a record, as bytes that are not decoded yet.
package struct InspectedValue {
  /// The bytes of the value's key. Keys with different bytes may be equal as texts.
  package let keyBytes: ArraySlice<UInt8>
  /// A reader at the beginning of the value.
  package let reader: ValueReader

  init(_ bytes: [UInt8], key: Range<Int>, _ value: Range<Int>) {
    (keyBytes, reader) = (bytes[key], ValueReader(bytes, value))
  }

  /// The value's key. Invalid UTF-8 in it is replaced.
  package var key: String { String(decoding: keyBytes, as: UTF8.self) }

  /// Whether the value's key is valid UTF-8.
  package var hasTextKey: Bool { String(validating: keyBytes, as: UTF8.self) != nil }

  /// The value's bytes.
  package var content: ArraySlice<UInt8> { reader.bytes[reader.position..<reader.end] }

  /// The position at which the value is damaged, and the reason; nil if it can be read.
  package var damage: (position: Int, reason: String)? {
    var reader = reader
    do {
      try reader.check()
      if reader.position == reader.end { return nil }
      throw StateError(.damaged("there are more bytes than one value has"))
    } catch {
      return (min(reader.position, reader.end), "\(error)")
    }
  }
}

extension ValueReader {
  /// Reads one of the two parts of a value that has an early part.
  private mutating func checkPart() throws {
    while try peekTag() == .some { position += 1 }
    guard try peekTag() != .early else {
      throw StateError(.damaged("a part of a value has parts itself"))
    }
    try check()
  }

  /// Reads a value and all parts of it, to find out whether it is damaged. The function recurses, but
  /// not beyond ``ValueWriter/depthLimit``.
  fileprivate mutating func check() throws {
    while try peekTag() == .some { position += 1 }
    let tag = try peekTag()
    switch tag {
    case .text, .url, .decimal: _ = try text(tag)
    case .reference: _ = try (text(tag), text())
    case .array, .dictionary, .integers:
      let (outer, count) = try enter(tag)
      for _ in 0..<count {
        if tag == .dictionary { _ = try text() }
        if tag == .integers { _ = try varint() } else { try check() }
      }
      try leave(outer)
    case .early:
      position += 1
      for _ in 0..<2 { try checkPart() }
    default: try skip()
    }
  }
}
