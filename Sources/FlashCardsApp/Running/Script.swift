import Lineage
import LineageTerminal

/// The keys of a user, written down, a line for each step.
struct Script {
  enum Step { case press([Key]), frame, resize(Int, Int) }

  let steps: [Step]

  /// Reads a script, or throws its first mistake.
  init(_ text: String) throws {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
    steps = try lines.map(Self.step)
  }

  private static func step(_ line: Substring) throws -> Step {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "frame": return .frame
    case "type": return .press(line.dropFirst(5).unicodeScalars.map { .character(Character($0)) })
    case "paste": return .press([.paste(String(line.dropFirst(6)))])
    case "resize":
      let size = words.compactMap(Int.init)
      if size.count == 2 { return .resize(min(size[0], 1000), min(size[1], 1000)) }
    default:
      let keys = words.compactMap(Key.named)
      if keys.count == words.count { return .press(keys) }
    }
    throw Mistake(description: "this line of the script means nothing: \(line)")
  }
}

extension FlashCards {
  /// Presses the keys of a script. Prints the first frame, which does not wait for the store, the
  /// frames that the script asks for, and the last one.
  func run(_ script: Script) async {
    var size = (width: 80, height: 24)
    func printFrame() { print(frame(size).text, terminator: "\n\n") }
    start()
    printFrame()
    for step in script.steps + [.frame] {
      // All that the step before has caused happens first.
      await settle()
      switch step {
      case .press(let keys): keys.forEach(press)
      case .resize(let width, let height): size = (width, height)
      case .frame: printFrame()
      }
    }
    terminate()
  }
}

/// The names of keys, as the screens show them and as scripts write them.
extension Key {
  private static let names: [String: Key] = [
    "enter": .enter, "escape": .escape, "tab": .tab, "back-tab": .backTab, "delete": .delete,
    "backspace": .backspace, "up": .up, "down": .down, "left": .left, "right": .right,
    "home": .home, "end": .end, "page-up": .pageUp, "page-down": .pageDown, "space": " ",
    "control-c": .control("c"), "control-s": .control("s"), "control-t": .control("t"),
    "control-u": .control("u"),
  ]

  var name: String {
    if case .character(let character) = self, character != " " { return "\(character)" }
    return Self.names.first { $0.value == self }?.key ?? "\(self)"
  }

  static func named(_ name: String) -> Key? {
    names[name] ?? (name.count == 1 ? name.first.map(Key.character) : nil)
  }
}
