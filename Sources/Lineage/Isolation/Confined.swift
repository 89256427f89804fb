/// A value that may be sent to any thread, but may be used only on its owner's isolation.
///
/// It is needed because a mailbox's letters must be Sendable. The values in them belong to a context,
/// and are confined like it.
struct Confined<Value>: @unchecked Sendable {
  // Only confinement protects the value. A mailbox applies its letters only on the tree's isolation,
  // which is also that of the context. If a letter is released elsewhere without being applied, its
  // value has only a weak reference to the context.

  /// The value. Only code on the owner's isolation may use it.
  let value: Value

  init(_ value: Value) { self.value = value }
}
