import LineageTestSupport

/// The tags and texts of an XML document, read by a small strict parser. Foundation's would need a
/// library of the system.
struct Markup {
  private(set) var tags: Set<String> = []
  private(set) var texts: [String] = []

  /// Reads a document, or throws if it is not well-formed.
  init(_ document: String) throws {
    var open: [String] = []
    // A scalar after a bracket may belong to the bracket's character.
    for part in document.unicodeScalars.split(separator: "<", omittingEmptySubsequences: false) {
      guard let end = part.firstIndex(of: ">") else {
        if part.isEmpty, tags.isEmpty { continue }
        throw Mishap("no tag: \(String(part))")
      }
      let tag = String(part[..<end])
      let text = part[part.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { throw Mishap("</\(tag)>") }
      } else {
        guard let found = tag.wholeMatch(of: /([a-z]+)( [A-Za-z:]+="[^"&]*")*(\/?)/) else {
          throw Mishap("<\(tag)>")
        }
        tags.insert(String(found.1))
        if found.3.isEmpty { open.append(String(found.1)) }
      }
      if !text.isEmpty { texts.append(try Self.plain(String(text))) }
    }
    guard open.isEmpty else { throw Mishap("not closed: \(open)") }
  }

  /// Returns a text without escapes, or throws if it has a character that XML does not allow.
  private static func plain(_ text: String) throws -> String {
    var plain = ""
    for (number, part) in text.unicodeScalars.split(
      separator: "&", omittingEmptySubsequences: false
    )
    .enumerated() {
      var part = part
      if number > 0 {
        let names = ["amp;": "&", "lt;": "<", "gt;": ">"]
        guard let name = names.first(where: { part.starts(with: $0.key.unicodeScalars) }) else {
          throw Mishap("&\(String(part))")
        }
        plain += name.value
        part = part.dropFirst(name.key.count)
      }
      for scalar in part {
        guard scalar == "\n" || scalar >= " ", scalar != ">",
          !(0xfffe...0xffff).contains(scalar.value)
        else { throw Mishap("U+\(String(scalar.value, radix: 16))") }
      }
      plain += String(part)
    }
    return plain
  }
}
