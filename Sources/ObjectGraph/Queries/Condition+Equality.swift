extension Condition: Hashable {
  /// A leaf, or an operator with the number of its parts. The sequence of all tokens determines a
  /// condition.
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

  /// Returns whether both conditions have the same leaves and operators in the same order. Texts
  /// are compared by their UTF-8.
  package static func == (one: Condition, other: Condition) -> Bool {
    if one.node === other.node { return true }
    guard one.levels == other.levels, one.terms == other.terms, one.closures == other.closures
    else { return false }
    return one.tokens == other.tokens
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
}
