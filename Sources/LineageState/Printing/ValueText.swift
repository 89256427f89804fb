import Foundation
import StateRestoration

/// The writer of archived values as JSON. A value of a type that JSON does not have is an object with a
/// key that begins with `$`.
///
/// If a key of the archive begins with `$`, another `$` is written in front of it. So no key of the
/// archive looks like the key of such an object.
struct ValueText {
  /// The archive, which has the paths of responders.
  let inspection: ArchiveInspection
  let put: (String) throws -> Void

  /// Writes a value. Deeper containers than usual are written as bytes, because many parsers refuse
  /// more than 500 levels.
  func write(_ value: InspectedValue) throws {
    if let (position, reason) = value.damage {
      let more = #","position":\#(position),"bytes":\#(value.content.base64.quoted)"#
      return try object("damaged", reason.quoted, more)
    }
    var reader = value.reader
    try write(&reader, nesting: 200)
  }

  private func write(_ reader: inout ValueReader, nesting: Int) throws {
    let tag = try reader.peekTag()
    switch tag {
    case .null:
      _ = try reader.readNil()
      try put("null")
    case .false, .true: try put("\(Bool.read(from: &reader))")
    case .integer: try put("\(Int64.read(from: &reader))")
    case .largeInteger: try put("\(UInt64.read(from: &reader))")
    case .double:
      let value = try Double.read(from: &reader)
      if value.isFinite { try put("\(value)") } else { try object("double", number(value)) }
    case .float: try object("float", number(Float.read(from: &reader)))
    case .text: try put(reader.text(tag).quoted)
    case .data: try object("data", Data.read(from: &reader).base64EncodedString().quoted)
    case .date:
      let seconds = try Date.read(from: &reader).timeIntervalSinceReferenceDate
      let date = String(secondsSince2001: seconds)?.quoted ?? "null"
      try object("date", date, ",\"seconds\":\(number(seconds))")
    case .uuid: try object("uuid", UUID.read(from: &reader).uuidString.quoted)
    case .url, .decimal: try object("\(tag)", reader.text(tag).quoted)
    case .reference:
      let context = try reader.text(tag).quoted
      try object("reference", reader.text().quoted, ",\"context\":\(context)")
    case .responder:
      let path = inspection.path(of: RecordID(try reader.fixed(tag)))
      try object("responder", path?.quotedArray ?? "null")
    case .some:
      var count = 0
      while try reader.peekTag() == .some { (_, count) = (try reader.tag(), count + 1) }
      try put(#"{"$some":\#(count),"value":"#)
      try write(&reader, nesting: nesting - 1)
      try put("}")
    case .early:
      _ = try reader.tag()
      try put(#"{"$early":"#)
      try write(&reader, nesting: nesting - 1)
      try put(#","value":"#)
      try write(&reader, nesting: nesting - 1)
      try put("}")
    case .array, .dictionary, .integers:
      let start = reader.position
      guard nesting > 0 else {
        try reader.skip()
        return try object("deep", reader.bytes[start..<reader.position].base64.quoted)
      }
      let (outer, count) = try reader.enter(tag)
      try put(tag == .dictionary ? "{" : "[")
      for index in 0..<count {
        if index > 0 { try put(",") }
        if tag == .dictionary { try put(reader.text().escapedKey.quoted + ":") }
        if tag == .integers {
          try put("\(reader.zigzag())")
        } else {
          try write(&reader, nesting: nesting - 1)
        }
      }
      try reader.leave(outer)
      try put(tag == .dictionary ? "}" : "]")
    }
  }

  /// Writes a value of a type that JSON does not have.
  private func object(_ type: String, _ value: String, _ more: String = "") throws {
    try put(#"{"$\#(type)":\#(value)\#(more)}"#)
  }

  private func number(_ value: some BinaryFloatingPoint) -> String {
    value.isFinite ? "\(value)" : "\(value)".quoted
  }
}

extension InspectedValue {
  /// The key as JSON. Keys with different bytes are different texts.
  var quotedKey: String { (hasTextKey ? key.escapedKey : "$key " + keyBytes.base64).quoted }

  /// Returns the beginning of the value's text.
  func start(in inspection: ArchiveInspection) -> String {
    var start = ""
    let text = ValueText(inspection: inspection) { part in
      start += part
      if start.utf8.count > 400 { throw CancellationError() }
    }
    try? text.write(self)
    return start.cut(to: 100)
  }
}

extension String {
  /// The text as a key that does not begin with a single `$`.
  fileprivate var escapedKey: String { hasPrefix("$") ? "$" + self : self }
}

extension ArraySlice<UInt8> {
  fileprivate var base64: String { Data(self).base64EncodedString() }
}
