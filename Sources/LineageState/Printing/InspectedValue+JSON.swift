import StateRestoration

extension InspectedValue {
  /// The key as JSON. Keys with different bytes are different texts.
  var quotedKey: String { (hasTextKey ? key.escapedKey : "$key " + keyBytes.base64).quoted }

  /// Calls the closure with the parts of the value's text as JSON, in order.
  func write(_ put: (String) throws -> Void) throws {
    if let (position, reason) = damage {
      let more = #","position":\#(position),"bytes":\#(content.base64.quoted)"#
      return try put(ValueText.object("damaged", reason.quoted, more))
    }
    // Deeper containers are written as bytes, because many parsers refuse more than 500 levels.
    var text = text(nesting: 200)
    while let part = try text.next() { try put(part) }
  }

  /// The beginning of the value's text.
  var start: String {
    var start = ""
    try? write { part in
      start += part
      if start.utf8.count > 400 { throw CancellationError() }
    }
    return start.cut(to: 100)
  }
}
