import ResponderChain

/// A key whose value is an integer. Tests make as many such key types as they need at run time; see
/// ``numberedKeys(_:)``.
protocol NumberKey: ContextKey where Value == Int {}
private enum First: NumberKey { typealias Value = Int }
private enum Next<Other: NumberKey>: NumberKey { typealias Value = Int }

private func next<K: NumberKey>(_ key: K.Type) -> any NumberKey.Type { Next<K>.self }

/// Returns the given number of keys, which are different types.
func numberedKeys(_ count: Int) -> [any NumberKey.Type] {
  var keys: [any NumberKey.Type] = [First.self]
  for _ in 1..<count {
    guard let last = keys.last else { break }
    keys.append(next(last))
  }
  return keys
}

func give<K: NumberKey>(_ number: Int, _ key: K.Type, _ responder: Responder) {
  responder.provide(number, for: key)
}

func read<K: NumberKey>(_ key: K.Type, _ responder: Responder) -> Int? {
  responder.context(key)
}

func withdraw<K: NumberKey>(_ key: K.Type, _ responder: Responder) throws {
  try responder.withdraw(key)
}
