import Foundation
import StateRestoration

/// One archived value as JSON. A value of a type that JSON does not have is written as an object
/// with a key that begins with `$`.
///
/// If a key of the archive begins with `$`, another `$` is written in front of it. So no key of the
/// archive looks like the key of such an object.
struct JSONValue {
  /// The number of levels of containers that are written as JSON. Deeper containers are written as
  /// bytes, because many parsers refuse more than 500 levels.
  static let nesting = 200

  private var open: [Open] = []

  /// An array, a dictionary or an optional that is not closed yet.
  private struct Open {
    let closing: String
    /// Whether this is an optional. An optional is closed together with its only value.
    var isWrapper = false
    var isEmpty = true
  }

  /// Calls the closure with the parts of the value's JSON text, in order.
  ///
  /// - Throws: the error of the closure.
  static func write(_ value: InspectedValue, _ put: (String) throws -> Void) throws {
    if let damage = value.damage {
      return try put(
        "{\"$damaged\":\(JSONText.string(damage.reason)),\"position\":\(damage.position),"
          + "\"bytes\":\(base64(value.content))}")
    }
    var json = JSONValue()
    try value.walk(nesting: nesting) { event in
      try json.add(event, put)
      return true
    }
  }

  private mutating func add(_ event: ValueEvent, _ put: (String) throws -> Void) throws {
    switch event {
    case .end:
      try put(open.removeLast().closing)
      return try closeWrappers(put)
    case .key(let key):
      try separate(put)
      let name = key.hasPrefix("$") ? "$" + key : key
      try put(JSONText.string(name) + ":")
      // No comma is needed between a key and its value.
      open[open.count - 1].isEmpty = true
      return
    default: break
    }
    try separate(put)
    switch event {
    case .beginArray:
      try put("[")
      open.append(Open(closing: "]"))
    case .beginDictionary:
      try put("{")
      open.append(Open(closing: "}"))
    case .beginPath:
      try put("{\"$responder\":[")
      open.append(Open(closing: "]}"))
    case .some(let count):
      try put("{\"$some\":\(count),\"value\":")
      open.append(Open(closing: "}", isWrapper: true))
    default:
      try put(Self.simple(event))
      try closeWrappers(put)
    }
  }

  /// Writes a comma if the container has an element already.
  private mutating func separate(_ put: (String) throws -> Void) throws {
    guard let last = open.last else { return }
    if !last.isEmpty { try put(",") }
    open[open.count - 1].isEmpty = false
  }

  private mutating func closeWrappers(_ put: (String) throws -> Void) throws {
    while let last = open.last, last.isWrapper {
      try put(last.closing)
      open.removeLast()
    }
  }

  private static func simple(_ event: ValueEvent) -> String {
    switch event {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .largeInteger(let value): "\(value)"
    case .double(let value):
      value.isFinite ? "\(value)" : "{\"$double\":\(JSONText.number(value))}"
    case .float(let value): "{\"$float\":\(JSONText.number(value))}"
    case .text(let text): JSONText.string(text)
    case .data(let bytes): "{\"$data\":\(base64(bytes))}"
    case .date(let seconds):
      "{\"$date\":\(DateText.text(seconds).map { JSONText.string($0) } ?? "null"),"
        + "\"seconds\":\(JSONText.number(seconds))}"
    case .uuid(let bytes): "{\"$uuid\":\"\(Bytes.uuid(bytes))\"}"
    case .url(let text): "{\"$url\":\(JSONText.string(text))}"
    case .decimal(let text): "{\"$decimal\":\(JSONText.string(text))}"
    case .reference(let context, let text):
      "{\"$reference\":\(JSONText.string(text)),\"context\":\(JSONText.string(context))}"
    case .step(let identifier, let ordinal):
      ordinal == 0
        ? JSONText.string(identifier)
        : "{\"identifier\":\(JSONText.string(identifier)),\"ordinal\":\(ordinal)}"
    case .deep(let bytes): "{\"$deep\":\(base64(bytes))}"
    case .some, .beginArray, .beginDictionary, .key, .beginPath, .end: ""
    }
  }

  private static func base64(_ bytes: ArraySlice<UInt8>) -> String {
    "\"\(Data(bytes).base64EncodedString())\""
  }
}
