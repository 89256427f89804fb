import Lineage

/// Any number of distinct keys that nobody looks up, composed at run time from three types.
enum OtherKeys {
  /// The key whose type spells the number's binary digits, the lowest outermost.
  static func key(_ number: Int) -> any ContextKey<Token>.Type {
    precondition(number >= 0, "Other keys are numbered from 0 on")
    guard number > 0 else { return End.self }
    let rest = key(number / 2)
    return number.isMultiple(of: 2) ? zero(rest) : one(rest)
  }

  /// What is provided for them.
  static let value = Token(0)

  private enum End: ContextKey { typealias Value = Token }
  private enum Zero<Rest: ContextKey>: ContextKey { typealias Value = Token }
  private enum One<Rest: ContextKey>: ContextKey { typealias Value = Token }

  private static func zero<K: ContextKey>(_: K.Type) -> any ContextKey<Token>.Type { Zero<K>.self }
  private static func one<K: ContextKey>(_: K.Type) -> any ContextKey<Token>.Type { One<K>.self }
}
