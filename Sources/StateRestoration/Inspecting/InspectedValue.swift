/// One value of a record, as bytes that are not decoded yet.
package struct InspectedValue {
  /// The bytes of the value's key. Keys with different bytes may be equal as texts.
  package let keyBytes: ArraySlice<UInt8>
  /// A reader of the value's bytes.
  private let reader: ValueReader
  private let path: (RecordID) -> [String]?

  init(
    _ bytes: [UInt8], key: Range<Int>, _ value: Range<Int>,
    path: @escaping (RecordID) -> [String]? = { _ in nil }
  ) {
    (keyBytes, reader, self.path) = (bytes[key], ValueReader(bytes, value), path)
  }

  /// The value's key. Invalid UTF-8 in it is replaced.
  package var key: String { String(decoding: keyBytes, as: UTF8.self) }

  /// Whether the value's key is valid UTF-8.
  var hasTextKey: Bool { String(validating: keyBytes, as: UTF8.self) != nil }

  /// The key as JSON. Keys with different bytes are different texts.
  package var quotedKey: String {
    (hasTextKey ? key.escapedKey : "$key " + keyBytes.base64).quoted
  }

  /// The number of the value's bytes.
  package var count: Int { reader.end - reader.position }

  /// The position at which the value is damaged, and the reason; nil if it can be read.
  var damage: (position: Int, reason: String)? {
    var text = ValueText(reader, nesting: .max, path: path)
    do {
      while try text.next() != nil {}
      return nil
    } catch {
      return (min(text.reader.position, reader.end), "\(error)")
    }
  }

  /// Calls the closure with the parts of the value's text as JSON, in order.
  package func write(_ put: (String) throws -> Void) throws {
    if let damage {
      let bytes = reader.bytes[reader.position..<reader.end].base64.quoted
      let more = #","position":\#(damage.position),"bytes":\#(bytes)"#
      return try put(ValueText.object("damaged", damage.reason.quoted, more))
    }
    // Deeper containers are written as bytes, because many parsers refuse more than 500 levels.
    var text = ValueText(reader, nesting: 200, path: path)
    while let part = try text.next() { try put(part) }
  }

  /// The beginning of the value's text.
  package var start: String {
    var start = ""
    try? write { part in
      start += part
      if start.utf8.count > 400 { throw CancellationError() }
    }
    return start.cut(to: 100)
  }
}
