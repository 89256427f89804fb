import Terminal

/// The names of keys, as the screens show them and as scripts write them.
extension Key {
  private static let named: [String: Key] = [
    "enter": .enter, "escape": .escape, "tab": .tab, "back-tab": .backTab, "delete": .delete,
    "backspace": .backspace, "up": .up, "down": .down, "left": .left, "right": .right,
    "home": .home, "end": .end, "page-up": .pageUp, "page-down": .pageDown, "space": " ",
  ]

  var name: String {
    if let (name, _) = Self.named.first(where: { $0.value == self }) { return name }
    return switch self {
    case .character(let character): "\(character)"
    case .control(let character): "control-\(character)"
    default: "paste"
    }
  }

  init?(name: String) {
    if let key = Self.named[name] { self = key; return }
    let letter = name.hasPrefix("control-") ? name.dropFirst(8) : name[...]
    guard let character = letter.first, letter.count == 1 else { return nil }
    self = letter.count < name.count ? .control(character) : .character(character)
  }
}
