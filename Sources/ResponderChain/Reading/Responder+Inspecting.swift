// Functions for state restoration. None of them makes a branch's child, calls an observer or
// changes anything.
extension Responder {
  /// Calls the closure with the key and kind of each of the responder's own slots, in no particular
  /// order.
  ///
  /// If the closure changes slots of the responder, it may miss one or get one twice.
  ///
  /// - Complexity: O(*s*) for *s* slots. Nothing is allocated.
  package final func forEachSlot(_ body: (any ContextKey.Type, SlotSummary.SlotKind) -> Void) {
    guard let contents else { return }
    var row = 0
    while row < contents.capacity {
      if let slot = contents.ownSlot(inRow: row)?.full { body(slot.key.key, slot.kind) }
      row += 1
    }
  }

  /// Returns the kind of the responder's own slot for a key; nil if there is none.
  package final func slotKind<K: ContextKey>(_ key: K.Type) -> SlotSummary.SlotKind? {
    contents?.slot(KeyID(key))?.kind
  }

  /// Returns the value of the responder's own slot for a key; nil if the slot is no value.
  package final func ownValue<K: ContextKey>(_ key: K.Type) -> K.Value? {
    guard case .value(let cell) = contents?.slot(KeyID(key))?.state else { return nil }
    return cell.value(as: K.Value.self)
  }

  /// Returns the value or state that the responder finds under a key, as ``resolve(_:from:)`` does.
  /// Where a branch has no child yet, it returns what the branch inherits.
  ///
  /// A child that the next read of its branch would drop does not count as one.
  ///
  /// - Complexity: A lookup for each branch that is looked through.
  package final func resolveWithoutMaking<K: ContextKey>(
    _ key: K.Type, from start: LookupStart = .self
  ) -> Resolution<K.Value> {
    let node =
      switch start {
      case .self: ownCore ?? liveParent
      case .next: liveParent
      }
    return Resolution(node?.deciderWithoutMaking(KeyID(key))?.answer ?? .missing)
  }

  /// Returns the responder whose slot provides here, with its answer, where branches without a
  /// child are looked through; nil if there is none. The answer is that of
  /// ``resolveWithoutMaking(_:from:)``.
  ///
  /// - Complexity: That of ``resolveWithoutMaking(_:from:)``.
  package final func provider<K: ContextKey>(
    of key: K.Type
  ) -> (responder: Responder, resolution: Resolution<K.Value>)? {
    guard let found = (ownCore ?? liveParent)?.deciderWithoutMaking(KeyID(key)),
      let responder = found.slot.responder(below: self)
    else { return nil }
    return (responder, Resolution(found.answer))
  }

  /// Returns whether the responder's own slot for a key is a branch that has made its child.
  package final func hasBranchChild<K: ContextKey>(_ key: K.Type) -> Bool {
    contents?.slot(KeyID(key))?.branch?.child != nil
  }
}
