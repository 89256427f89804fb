import Lineage

/// The context that the cases look up. It is as simple as a context can be.
final class Token: Context, Sendable {
  let number: Int

  init(_ number: Int) { self.number = number }

  /// A token that alternates with `second`, so that each call of `provide` is a change.
  static let first = Token(1)
  /// A token that alternates with `first`.
  static let second = Token(2)
}

extension Token? {
  /// The number of the token; -1 if there is no token.
  var figure: Int { self?.number ?? -1 }
}
