/// The base class of ``Slot``, with the properties that a node's table needs.
class TableSlot {
  /// The core of the node that has the slot. The core retains the slot. Other tables have the slot
  /// only if their nodes are below this one.
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

  /// The cell of the value if lookups may read it without evaluating a branch; nil otherwise.
  var readableCell: Cell? { nil }

  /// Ends the slot's expectation of a value, if it has one. This function is called in the
  /// responder's deinit, on any thread.
  func ownerWillEnd() {}
}
