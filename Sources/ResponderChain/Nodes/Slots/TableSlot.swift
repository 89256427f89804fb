/// A slot as the table of a node sees it, with its node and its key.
class TableSlot {
  /// The node that has the slot. The node retains the slot. All tables to which the slot is pushed
  /// lie below the node.
  final let owner: CoreRef
  final let key: any ErasedKey.Type
  final let id: KeyID
  /// Whether the slot is a branch, whose answer depends on the slots above.
  final let inherits: Bool

  init(_ key: any ErasedKey.Type, owner: Core, inherits: Bool) {
    self.key = key
    self.id = key.id
    self.owner = CoreRef(owner)
    self.inherits = inherits
  }

  /// The cell of the value, if lookups may read it without evaluating a branch.
  var settledCell: Cell? { nil }

  /// Ends the slot's expectation of a value. It is called in the responder's deinit, on any thread.
  func ownerWillEnd() {}
}
