/// A value that can be sent to any thread, but is used only where its owner runs.
///
/// A decoder's `userInfo` and a mailbox's letters must be Sendable. The value in them stays
/// confined, like the context to which it belongs.
struct Confined<Value>: @unchecked Sendable {
  // Only confinement protects the value. A decoder that holds a context is used and released where
  // the context is, and so are the values that it makes. A mailbox applies its letters only on the
  // tree's isolation, which is the context's. A letter that is dropped elsewhere releases a value
  // that refers to its context weakly.

  /// The value, for code that runs where the owner runs.
  let value: Value

  init(_ value: Value) { self.value = value }
}
