extension Responder {
  /// Returns a text with one line for the responder and one for each responder below. Each line
  /// also shows the slots of its responder.
  ///
  /// Lines are indented by their level. From the 65th level below the responder on, the indentation
  /// stays the same, and the level is written as a number.
  ///
  /// - Complexity: O(n) in the number of responders.
  public final func dump() -> String {
    var lines: [String] = []
    var waiting = [(responder: self, level: 0)]
    while let (responder, level) = waiting.popLast() {
      let role =
        switch responder.parentRole {
        case _ where responder === self: ""
        case .child: ""
        case .rootView: "root view "
        case .presented: "presented "
        }
      lines.append(Self.indent(level) + role + responder.debugLabel + responder.slotList(" — "))
      waiting += responder.owned.reversed().map { ($0, level + 1) }
    }
    return lines.joined(separator: "\n")
  }

  /// Returns two spaces for each level, up to 64 levels. A deeper level is written as a number,
  /// because spaces for ten thousand nested levels would take a hundred megabytes.
  private static func indent(_ level: Int) -> String {
    let limit = 64
    let spaces = String(repeating: "  ", count: min(level, limit))
    return level > limit ? "\(spaces)(\(level)) " : spaces
  }

  /// Returns a Mermaid flowchart of the responder and all responders below, with their slots.
  ///
  /// - Complexity: O(*n*) in the number of responders.
  public final func mermaid() -> String {
    var lines = ["flowchart TD"]
    var numbers: [ObjectIdentifier: Int] = [:]
    for (number, responder) in ([self] + Array(descendants)).enumerated() {
      numbers[ObjectIdentifier(responder)] = number
      let texts = [Self.escaped(responder.debugLabel), Self.escaped(responder.slotList(""))]
      let text = texts.filter { !$0.isEmpty }.joined(separator: "<br/>")
      lines.append("  n\(number)[\"\(text)\"]")
      guard number > 0, let parent = responder.nextResponder,
        let above = numbers[ObjectIdentifier(parent)]
      else { continue }
      let arrow = responder.parentRole == .presented ? "-. presents .->" : "-->"
      lines.append("  n\(above) \(arrow) n\(number)")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the text in a form that can be quoted in Mermaid. Quotation marks and the characters
  /// `<`, `>` and `#` are escaped.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\"": escaped += "#quot;"
      case "<": escaped += "#lt;"
      case ">": escaped += "#gt;"
      case "#": escaped += "#35;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  private func slotList(_ separator: String) -> String {
    let texts = slotSummaries.map { "\($0.key): \($0.kind)" }
    return texts.isEmpty ? "" : separator + texts.joined(separator: ", ")
  }
}
