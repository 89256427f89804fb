package import ResponderChain

extension Strategy {
  /// Whether the strategy visits the whole subtree when a slot or a link changes. Laws 4 and 6 of
  /// the tree do not apply to such a strategy.
  package var pushes: Bool {
    switch self {
    case .baton: true
    case .chain, .skipping: false
    }
  }

  /// The strategies to which laws 4 and 6 of the tree apply.
  package static let allWithoutPushing = allCases.filter { !$0.pushes }
}
