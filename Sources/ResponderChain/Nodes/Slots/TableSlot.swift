/// A slot as a node's table knows it: whose it is, and for which key.
class TableSlot {
  /// The node. It holds the slot, and every table the slot is pushed to lies below it.
  final let owner: CoreRef
  final let key: any ErasedKey.Type
  final let id: KeyID
  /// Whether the slot resolves to a child of what its ancestors provide.
  final let inherits: Bool

  init(_ key: any ErasedKey.Type, owner: Core, inherits: Bool) {
    self.key = key
    self.id = key.id
    self.owner = CoreRef(owner)
    self.inherits = inherits
  }

  /// The value that lookups may read without evaluating anything.
  var settledCell: Cell? { nil }

  /// Closes what the slot waits for. Called in its responder's deinit, on any thread.
  func ownerWillEnd() {}
}
