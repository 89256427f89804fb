import StateRestoration

/// One archived value in few words, for printing in one line.
struct ShortValue {
  /// The number of characters at which a value is cut.
  private static let limit = 100

  private var text = ""
  private var open: [Open] = []
  private var isCut = false

  private struct Open {
    let closing: String
    let separator: String
    var isEmpty = true
    var isAfterKey = false
  }

  /// Returns the text of a value. A long value is cut and followed by its number of bytes.
  static func text(_ value: InspectedValue) -> String {
    if let damage = value.damage {
      return "damaged at byte \(damage.position): \(damage.reason)"
    }
    var short = ShortValue()
    try? value.walk(nesting: 16) { event in
      short.add(event)
      return !short.isCut
    }
    return short.isCut ? short.text + "… (\(Bytes.text(value.range.count)))" : short.text
  }

  private mutating func add(_ event: ValueEvent) {
    if case .end = event {
      text += open.removeLast().closing
    } else {
      separate()
    }
    switch event {
    case .key(let key):
      put(SafeText.quoted(cut(key)) + ": ")
      open[open.count - 1].isAfterKey = true
    case .beginArray: begin("[", "]", ", ")
    case .beginDictionary: begin("{", "}", ", ")
    case .beginPath: begin("responder ", "", " › ")
    case .end: break
    default: put(simple(event))
    }
    if text.unicodeScalars.count > Self.limit { isCut = true }
  }

  private mutating func begin(_ opening: String, _ closing: String, _ separator: String) {
    put(opening)
    open.append(Open(closing: closing, separator: separator))
  }

  private mutating func separate() {
    guard let last = open.last else { return }
    if !last.isEmpty, !last.isAfterKey { text += last.separator }
    open[open.count - 1].isEmpty = false
    open[open.count - 1].isAfterKey = false
  }

  private mutating func put(_ words: String) { text += words }

  /// Returns the words. If the text would then exceed 100 characters, returns only their beginning.
  private mutating func cut(_ words: String) -> Substring {
    let room = max(Self.limit - text.unicodeScalars.count, 0)
    let scalars = words.unicodeScalars.prefix(room + 1)
    guard scalars.count > room else { return words[...] }
    isCut = true
    return Substring(scalars.prefix(room))
  }

  private mutating func simple(_ event: ValueEvent) -> String {
    switch event {
    case .null: return "nil"
    case .bool(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .largeInteger(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .float(let value): return "\(value) (Float)"
    case .text(let text): return SafeText.quoted(cut(text))
    case .data(let bytes):
      let more = bytes.count > 16 ? "…" : ""
      return "\(Bytes.text(bytes.count)) of data \(Bytes.hexadecimal(bytes.prefix(16)))\(more)"
    case .date(let seconds): return DateText.text(seconds) ?? "a date at \(seconds) s"
    case .uuid(let bytes): return Bytes.uuid(bytes)
    case .url(let text): return "<\(cut(text))>"
    case .decimal(let text): return "\(cut(text)) (Decimal)"
    case .reference(let context, let text):
      return "\(cut(context)): \(SafeText.quoted(cut(text)))"
    case .step(let identifier, let ordinal):
      return ordinal == 0 ? "\(cut(identifier))" : "\(cut(identifier)) (\(ordinal &+ 1))"
    case .some(let count): return count == 1 ? "some " : "\(count) times some "
    case .deep: return "…"
    case .key, .beginArray, .beginDictionary, .beginPath, .end: return ""
    }
  }
}
