extension Condition: Hashable {
  /// A leaf or a word with the count of its parts; all of them in order say what the condition says.
  private enum Token: Hashable {
    case leaf(Leaf), word(Word, Int)
  }

  private var tokens: [Token] {
    var tokens: [Token] = []
    walk { visit in
      switch visit {
      case .leaf(let leaf): tokens.append(.leaf(leaf))
      case .enter(let word, let count): tokens.append(.word(word, count))
      case .between, .exit: break
      }
    }
    return tokens
  }

  /// Whether they say the same in the same words; texts are the same if their UTF-8 is.
  package static func == (one: Condition, other: Condition) -> Bool {
    if one.node === other.node { return true }
    guard one.levels == other.levels, one.terms == other.terms, one.closures == other.closures
    else { return false }
    return one.tokens == other.tokens
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
}
