// Functions for state restoration. None of them calls an observer or changes anything, and only
// ``Responder/object(for:)`` makes a branch's child.
extension Responder {
  /// Calls the closure with the key and kind of each of the responder's own slots, in no particular
  /// order.
  ///
  /// If the closure changes slots of the responder, it may miss a slot or get one twice.
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

  /// The keys of the responder's own slots whose values are being loaded.
  final var loadingKeys: [any ContextKey.Type] {
    var keys: [any ContextKey.Type] = []
    forEachSlot { key, kind in
      if kind == .pending, contents?.slot(KeyID(key))?.pending?.isLoading == true {
        keys.append(key)
      }
    }
    return keys
  }

  /// The work that the values of the responder's own slots have begun elsewhere, in words.
  final var workOfContexts: [String] {
    contents?.slots.flatMap { $0.contextListener?.context.workUnderWay ?? [] } ?? []
  }

  /// Whether the responder has slots of its own.
  package final var hasSlots: Bool { ownCore.map { $0.keyBits != 0 } ?? false }

  /// Returns the kind of the responder's own slot for a key; nil if there is none.
  package final func slotKind(_ key: any ContextKey.Type) -> SlotSummary.SlotKind? {
    contents?.slot(KeyID(key))?.kind
  }

  /// Returns whether the responder has no slot of its own for a key, or has a branch for the key.
  /// In both cases its answer depends on its ancestors.
  package final func inherits(_ key: any ContextKey.Type) -> Bool {
    contents?.ownSlot(KeyID(key))?.inherits ?? true
  }

  /// Returns the value of the responder's own slot for a key; nil if there is no such slot, or if
  /// it has no value.
  package final func ownValue<K: ContextKey>(_ key: K.Type) -> K.Value? {
    guard case .value(let cell) = contents?.slot(KeyID(key))?.state else { return nil }
    return cell.value(as: K.Value.self)
  }

  /// Returns the value or state that the responder finds under a key, like ``resolve(_:from:)``,
  /// but makes no child. For a branch without a child, it returns the answer that the branch
  /// inherits.
  ///
  /// A child that the next read of its branch would drop is ignored.
  ///
  /// - Complexity: One lookup, and one more for each branch without a child on the way.
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

  /// Returns whether ``resolve(_:from:)`` would find a value under a key. Makes no child.
  ///
  /// - Complexity: One lookup, and one more for each branch without a child on the way. Nothing is
  ///   allocated.
  package final func finds(_ key: any ContextKey.Type) -> Bool {
    if case .value? = (ownCore ?? liveParent)?.answerWithoutMaking(KeyID(key)) { return true }
    return false
  }

  /// Returns the object that the responder finds under a key, like
  /// ``resolveWithoutMaking(_:from:)``; nil if there is no value, or if the value is not an object.
  ///
  /// - Complexity: That of ``resolveWithoutMaking(_:from:)``.
  package final func objectWithoutMaking(_ key: any ContextKey.Type) -> AnyObject? {
    (ownCore ?? liveParent)?.deciderWithoutMaking(KeyID(key))?.answer.object
  }

  /// Returns the object that the responder finds under a key, like ``resolve(_:from:)``; nil if
  /// there is no value, or if the value is not an object.
  ///
  /// - Complexity: That of ``resolve(_:from:)``.
  package final func object(for key: any ContextKey.Type) -> AnyObject? {
    let id = KeyID(key)
    return object(id)?.strong ?? answerMakingChild(id).object
  }

  /// Returns the responder that has the nearest slot for the key, or nil if there is none. A branch
  /// without a child is skipped. The object is the slot's value; nil if there is no value, or if
  /// the value is not an object.
  ///
  /// - Complexity: That of ``resolveWithoutMaking(_:from:)``.
  package final func provider(
    of key: any ContextKey.Type
  ) -> (responder: Responder, object: AnyObject?)? {
    guard let found = (ownCore ?? liveParent)?.deciderWithoutMaking(KeyID(key)),
      let responder = found.slot.responder(below: self)
    else { return nil }
    return (responder, found.answer.object)
  }

  /// Returns whether the responder's own slot for a key is a branch that has made its child.
  package final func hasBranchChild<K: ContextKey>(_ key: K.Type) -> Bool {
    contents?.slot(KeyID(key))?.branch?.child != nil
  }

  /// Returns the child of the responder's own branch if the unsaved changes of the branch are kept;
  /// nil if they are not, and if there is no child yet.
  package final func keptChild<K: ContextKey>(_ key: K.Type) -> K.Value? {
    guard let branch = contents?.slot(KeyID(key))?.branch, branch.isKept, let child = branch.child
    else { return nil }
    return child.cell.value(as: K.Value.self)
  }

  /// Returns whether the responder has a branch whose unsaved changes are kept.
  package final func hasKeptBranch(_ key: any ContextKey.Type) -> Bool {
    contents?.slot(KeyID(key))?.branch?.isKept ?? false
  }

  /// Tells the attachment that a context whose unsaved changes are kept for the responder may have
  /// others.
  package final func noteKeptChanges() { ownAttachment?.keptChangesDidChange(of: self) }

  /// Returns whether the nearest slot above the responder is a branch that has no child, or that
  /// would drop its child at its next read. Until the next child is made,
  /// ``resolveWithoutMaking(_:from:)`` returns the context that will be the child's parent.
  ///
  /// - Complexity: That of ``resolveWithoutMaking(_:from:)``.
  package final func inheritsUnmadeChild<K: ContextKey>(_ key: K.Type) -> Bool {
    guard let node = liveParent, let nearest = node.locate(KeyID(key))?.decider,
      nearest.branch != nil
    else { return false }
    return node.deciderWithoutMaking(KeyID(key))?.slot !== nearest
  }
}

extension ContextState<Cell, FailureBox> {
  /// The value if it is an object; nil otherwise.
  fileprivate var object: AnyObject? { value?.object?.strong }
}
