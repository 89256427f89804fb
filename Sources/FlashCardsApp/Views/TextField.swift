import Lineage
import LineageTerminal

/// A line of text that can be edited: a property of an object, or a text of its own. The text and the
/// caret come back at the next launch, before the store is open.
final class TextField: ViewResponder {
  /// The closure that is called after each edit.
  var onEdit: (() -> Void)?
  private let label: String
  /// The text before the caret and the text after it. So an edit needs no search for the caret.
  @Restorable("before") private var before = ""
  @Restorable("after") private var after = ""
  /// Whether the text was edited while the field had no property.
  @Restorable("isAhead") private var isAhead = false
  /// The property that the field edits; nil if it has none, or if the store is not open.
  private var property: (get: () -> String, set: (String) -> Void)?

  var text: String {
    get { before + after }
    set { (before, after) = (newValue, "") }
  }

  init(_ label: String, identifier: String) {
    self.label = label
    super.init()
    restorationIdentifier = identifier
    on(Key.self) { field, key in
      field.follow()
      guard field.type(key) else { return .declined }
      field.write()
      field.onEdit?()
      return .handled
    }
  }

  /// Whether the field gets the keys first.
  var isFirst: Bool { application?.firstResponder === self }

  /// Edits a property from now on. What was typed before is written into it.
  func edit<Value>(_ object: Object<Value>?, _ path: WritableKeyPath<Value, String>) {
    property = object.map { it in ({ it[dynamicMember: path] }, { it[dynamicMember: path] = $0 }) }
    if isAhead { write() }
    follow()
  }

  /// Ends editing the property.
  func close() { property = nil }

  /// Writes the text into the property. If its object was deleted, the text stays here.
  private func write() {
    property?.set(text)
    isAhead = property?.get() != text
  }

  /// Takes over the property's value, which others may have changed.
  private func follow() { if !isAhead, let now = property?.get(), now != text { text = now } }

  /// Edits the text, or returns false if the key means nothing to a text.
  private func type(_ key: Key) -> Bool {
    switch key {
    case .character(let character): before.append(character)
    case .paste(let text): before += text.split(whereSeparator: \.isNewline).joined(separator: " ")
    case .backspace: _ = before.popLast()
    case .delete: after = String(after.dropFirst())
    case .left: if let character = before.popLast() { after = String(character) + after }
    case .right: (before, after) = (before + after.prefix(1), String(after.dropFirst()))
    case .home, .control("a"): (before, after) = ("", text)
    case .end, .control("e"): text = before + after
    case .control("u"): text = ""
    default: return false
    }
    return true
  }

  /// Draws the label, and as much of the text around the caret as there is room for.
  func draw(in frame: inout Frame, row: Int) {
    follow()
    let start = frame.write(label, row: row, column: 2, style: isFirst ? .bold : .dim) + 1
    let room = max(frame.width - start - 2, 1)
    var shown = before.suffix(room - 1)
    while shown.reduce(1, { $0 + Frame.width(of: $1) }) > room { shown.removeFirst() }
    let caret = frame.write(String(shown), row: row, column: start, style: .underline)
    let rest = start + room - caret
    frame.write(after.prefix(room) + " ", row: row, column: caret, width: rest, style: .underline)
    if isFirst { frame.placeCursor(row: row, column: caret) }
  }
}
