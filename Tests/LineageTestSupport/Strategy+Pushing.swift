package import ResponderChain

extension Strategy {
  /// Whether a change of a slot or a link visits the whole subtree. Laws 4 and 6 of the tree except
  /// such a strategy.
  package var pushes: Bool {
    switch self {
    case .baton: true
    case .chain, .skipping: false
    }
  }

  /// The strategies that keep laws 4 and 6 of the tree.
  package static let allWithoutPushing = allCases.filter { !$0.pushes }
}
