import Foundation

/// The text of an archived value as JSON. A value of a type that JSON does not have is an object
/// with a key that begins with `$`.
///
/// If a key of the archive begins with `$`, another `$` is written in front of it. So no key of the
/// archive looks like the key of such an object.
///
/// The text is made part by part, with a stack of its own, so a deeply nested value cannot overflow
/// the stack of the thread.
package struct ValueText {
  private(set) var reader: ValueReader
  /// The greatest number of nested containers. A deeper container is written as bytes.
  private let nesting: Int
  /// A function that returns the path of the responder with a record.
  private let path: (RecordID) -> [String]?
  /// The containers that are not closed yet. The outermost one has only the value.
  private var open = [OpenContainer(rest: 1)]

  private struct OpenContainer {
    var tag = ValueTag.some
    /// The number of elements that are still to be read.
    var rest: Int
    var closing = ""
    /// The position at which the container around this one ends; nil for an optional.
    var outerEnd: Int?
    var isEmpty = true
  }

  init(_ reader: ValueReader, nesting: Int, path: @escaping (RecordID) -> [String]?) {
    (self.reader, self.nesting, self.path) = (reader, nesting, path)
  }

  /// Returns the next part of the text; nil after the last one.
  ///
  /// - Throws: ``StateError`` if the bytes are not exactly one value.
  package mutating func next() throws -> String? {
    guard var last = open.popLast() else {
      if reader.position == reader.end { return nil }
      throw StateError(.damaged("there are more bytes than one value has"))
    }
    guard last.rest > 0 else {
      if let outerEnd = last.outerEnd { try reader.leave(outerEnd) }
      return last.closing
    }
    let separator = last.isEmpty ? "" : ","
    (last.rest, last.isEmpty) = (last.rest - 1, false)
    open.append(last)
    switch last.tag {
    case .integers: return separator + "\(try reader.zigzag())"
    case .dictionary: return try separator + reader.text().escapedKey.quoted + ":" + readValue()
    default: return try separator + readValue()
    }
  }

  /// Reads a value without elements, or the beginning of a container.
  private mutating func readValue() throws -> String {
    let tag = try reader.peekTag()
    switch tag {
    case .null:
      reader.position += 1
      return "null"
    case .false, .true: return "\(try Bool.read(from: &reader))"
    case .integer: return "\(try Int64.read(from: &reader))"
    case .largeInteger: return "\(try UInt64.read(from: &reader))"
    case .double:
      let value = try Double.read(from: &reader)
      return value.isFinite ? "\(value)" : Self.object("double", Self.number(value))
    case .float: return Self.object("float", Self.number(try Float.read(from: &reader)))
    case .text: return try reader.text(tag).quoted
    case .data:
      return Self.object("data", try Data.read(from: &reader).base64EncodedString().quoted)
    case .date:
      let seconds = try Date.read(from: &reader).timeIntervalSinceReferenceDate
      let date = String(secondsSince2001: seconds)?.quoted ?? "null"
      return Self.object("date", date, ",\"seconds\":\(Self.number(seconds))")
    case .uuid: return Self.object("uuid", try UUID.read(from: &reader).uuidString.quoted)
    case .url: return Self.object("url", try reader.text(tag).quoted)
    case .decimal: return Self.object("decimal", try reader.text(tag).quoted)
    case .reference:
      let context = try reader.text(tag).quoted
      return Self.object("reference", try reader.text().quoted, ",\"context\":\(context)")
    case .responder:
      let path = path(RecordID(try reader.fixed(tag)))
      return Self.object("responder", path?.quotedArray ?? "null")
    case .some: return try beginOptional()
    case .array, .integers: return try begin(tag, "[", "]")
    case .dictionary: return try begin(tag, "{", "}")
    }
  }

  private mutating func beginOptional() throws -> String {
    var count = 0
    while try reader.peekTag() == .some {
      reader.position += 1
      count += 1
    }
    open.append(OpenContainer(rest: 1, closing: "}"))
    return #"{"$some":\#(count),"value":"#
  }

  private mutating func begin(
    _ tag: ValueTag, _ opening: String, _ closing: String
  ) throws -> String {
    guard open.count <= nesting else {
      let start = reader.position
      try reader.skip()
      return Self.object("deep", reader.bytes[start..<reader.position].base64.quoted)
    }
    let (outerEnd, count) = try reader.enter(tag)
    open.append(OpenContainer(tag: tag, rest: count, closing: closing, outerEnd: outerEnd))
    return opening
  }

  /// Returns a value of a type that JSON does not have.
  package static func object(_ type: String, _ value: String, _ more: String = "") -> String {
    #"{"$\#(type)":\#(value)\#(more)}"#
  }

  private static func number(_ value: some BinaryFloatingPoint) -> String {
    value.isFinite ? "\(value)" : "\(value)".quoted
  }
}
