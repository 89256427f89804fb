import Terminal

/// The keys of a user, written down. Each line is a step:
///
/// | line | step |
/// |---|---|
/// | `n`, `down down enter`, `control-s` | presses these keys |
/// | `type Capitals of Europe` | types the text |
/// | `paste a text` | pastes the text |
/// | `resize 60 20` | changes the size of the frame |
/// | `frame` | prints the frame |
/// | `# a remark` | does nothing |
struct Script {
  enum Step {
    case press([Key])
    case resize(width: Int, height: Int)
    case frame
  }

  private(set) var steps: [Step] = []

  /// Reads a script, or throws its first mistake.
  init(_ text: String) throws(Options.Mistake) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.hasPrefix("#") {
      guard let step = Self.step(line) else {
        throw Options.Mistake(problem: "line \(index + 1) of the script means nothing: \(line)")
      }
      steps.append(step)
    }
  }

  private static func step(_ line: Substring) -> Step? {
    let words = line.split(separator: " ")
    switch words.first {
    case "frame" where words.count == 1: return .frame
    case "resize":
      let size = words.dropFirst().compactMap { Int($0) }.filter { (1...1000).contains($0) }
      return words.count == 3 && size.count == 2 ? .resize(width: size[0], height: size[1]) : nil
    case "type": return .press(line.dropFirst(5).unicodeScalars.map { .character(Character($0)) })
    case "paste": return .press([.paste(String(line.dropFirst(6)))])
    default:
      let keys = words.compactMap { Key(name: String($0)) }
      return keys.count == words.count ? .press(keys) : nil
    }
  }
}
