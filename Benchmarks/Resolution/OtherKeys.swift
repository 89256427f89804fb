import Lineage

/// A supply of any number of different keys that no lookup uses. The keys are generic types, which
/// are built at run time from three types.
enum OtherKeys {
  /// Returns the key with a number. Its type has one level for each binary digit of the number,
  /// with the lowest digit outermost.
  static func key(_ number: Int) -> any ContextKey<Token>.Type {
    precondition(number >= 0, "Other keys are numbered from 0 on")
    guard number > 0 else { return End.self }
    let rest = key(number / 2)
    return number.isMultiple(of: 2) ? zero(rest) : one(rest)
  }

  /// The value that nodes provide for these keys.
  static let value = Token(0)

  private enum End: ContextKey { typealias Value = Token }
  private enum Zero<Rest: ContextKey>: ContextKey { typealias Value = Token }
  private enum One<Rest: ContextKey>: ContextKey { typealias Value = Token }

  private static func zero<K: ContextKey>(_: K.Type) -> any ContextKey<Token>.Type { Zero<K>.self }
  private static func one<K: ContextKey>(_: K.Type) -> any ContextKey<Token>.Type { One<K>.self }
}
