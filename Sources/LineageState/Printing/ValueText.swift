import Foundation
import StateRestoration

/// An archived value as JSON. A value of a type that JSON does not have is an object with a key that
/// begins with `$`.
///
/// If a key of the archive begins with `$`, another `$` is written in front of it. So no key of the
/// archive looks like the key of such an object.
struct ValueText {
  private let inspection: ArchiveInspection
  /// The containers that are not closed yet.
  private var open: [(closing: String, isEmpty: Bool)] = []

  /// Calls the closure with the parts of the value's text, in order.
  static func write(
    _ value: InspectedValue, of inspection: ArchiveInspection, _ put: (String) throws -> Void
  ) throws {
    if let damage = value.damage {
      let bytes = Data(value.content).base64EncodedString().quoted
      let more = #","position":\#(damage.position),"bytes":\#(bytes)"#
      return try put(object("damaged", damage.reason.quoted, more))
    }
    var text = ValueText(inspection: inspection)
    // Deeper containers are written as bytes, because many parsers refuse more than 500 levels.
    try value.walk(nesting: 200) { event in
      try put(text.part(event))
      return true
    }
  }

  /// Returns the beginning of a value's text.
  static func short(_ value: InspectedValue, of inspection: ArchiveInspection) -> String {
    var text = ""
    try? write(value, of: inspection) { part in
      text += part
      if text.utf8.count > 400 { throw CancellationError() }
    }
    return text.cut(100)
  }

  private mutating func part(_ event: ValueEvent) -> String {
    if case .end = event { return open.removeLast().closing }
    var text = ""
    if let last = open.last {
      if !last.isEmpty { text = "," }
      open[open.count - 1].isEmpty = false
    }
    switch event {
    case .key(let key):
      // No comma is needed between a key and its value.
      open[open.count - 1].isEmpty = true
      return text + (key.hasPrefix("$") ? "$" + key : key).quoted + ":"
    case .beginArray: return text + begin("[", "]")
    case .beginDictionary: return text + begin("{", "}")
    case .beginOptional(let count): return text + begin(#"{"$some":\#(count),"value":"#, "}")
    default: return text + simple(event)
    }
  }

  private mutating func begin(_ opening: String, _ closing: String) -> String {
    open.append((closing, isEmpty: true))
    return opening
  }

  /// Returns the text of a value that has no elements.
  private func simple(_ event: ValueEvent) -> String {
    switch event {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .largeInteger(let value): "\(value)"
    case .double(let value):
      value.isFinite ? "\(value)" : Self.object("double", Self.number(value))
    case .float(let value): Self.object("float", Self.number(value))
    case .text(let text): text.quoted
    case .data(let bytes): Self.object("data", Data(bytes).base64EncodedString().quoted)
    case .date(let seconds):
      Self.object(
        "date", Self.date(seconds)?.quoted ?? "null", ",\"seconds\":\(Self.number(seconds))")
    case .uuid(let id): Self.object("uuid", id.uuidString.quoted)
    case .url(let text): Self.object("url", text.quoted)
    case .decimal(let text): Self.object("decimal", text.quoted)
    case .reference(let context, let text):
      Self.object("reference", text.quoted, ",\"context\":\(context.quoted)")
    case .responder(let id):
      Self.object("responder", inspection.path(of: id).map(\.quotedArray) ?? "null")
    case .deep(let bytes): Self.object("deep", Data(bytes).base64EncodedString().quoted)
    case .null, .beginOptional, .beginArray, .beginDictionary, .key, .end: "null"
    }
  }

  /// Returns a value of a type that JSON does not have.
  private static func object(_ type: String, _ value: String, _ more: String = "") -> String {
    #"{"$\#(type)":\#(value)\#(more)}"#
  }

  private static func number(_ value: some BinaryFloatingPoint) -> String {
    value.isFinite ? "\(value)" : "\(value)".quoted
  }

  /// Returns a date in universal time; nil outside of the years 1 to 9999. The date is given in
  /// seconds since the beginning of the year 2001.
  static func date(_ seconds: Double) -> String? {
    guard seconds > -63_113_904_000, seconds < 252_423_993_599 else { return nil }
    let hasFraction = seconds != seconds.rounded(.down)
    return Date(timeIntervalSinceReferenceDate: seconds)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
  }
}
