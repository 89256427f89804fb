import Lineage

/// The context that is looked up: as plain as a context can be.
final class Token: Context, Sendable {
  let number: Int

  init(_ number: Int) { self.number = number }

  /// Two values to alternate between, so that each provision is a change.
  static let first = Token(1)
  static let second = Token(2)
}

extension Token? {
  /// What an answer says about a lookup's result.
  var figure: Int { self?.number ?? -1 }
}
