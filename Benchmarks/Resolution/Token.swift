import Lineage

/// The context that the cases look up, which is as plain as a context can be.
final class Token: Context, Sendable {
  let number: Int

  init(_ number: Int) { self.number = number }

  /// A token to alternate with `second`, so that each provision is a change.
  static let first = Token(1)
  /// A token to alternate with `first`.
  static let second = Token(2)
}

extension Token? {
  /// The number of the found token, or -1 if there is none.
  var figure: Int { self?.number ?? -1 }
}
