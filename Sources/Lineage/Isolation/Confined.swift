/// A value that others may carry to any thread, but only its owner uses.
///
/// Two interfaces of others want Sendable values: a decoder's `userInfo` and a mailbox's letters. What
/// is behind them stays confined, like the context that it belongs to.
struct Confined<Value>: @unchecked Sendable {
  // Nothing but confinement protects the value. A decoder with a context in hand is used, and let go
  // of, where the context is, and so are the values that it makes. A mailbox applies its letters only
  // on the isolation of the tree, which is the context's; a letter that is dropped elsewhere releases
  // a value that refers to its context weakly.

  /// The value, for code that runs where its owner does.
  let value: Value

  init(_ value: Value) { self.value = value }
}
