/// The listeners at a node, and the children with listeners at or below them.
///
/// With this index, a change finds the listeners that it concerns without visiting other nodes.
/// Rejected: a list of observers at each slot. For a new provider between a slot and its observers,
/// that list would have to be divided in two.
final class ListenerIndex {
  /// The listeners registered at the node itself, in no particular order.
  var own: [Listener] = []
  /// The children with listeners at or below them. The node's responder owns them.
  var children: [CoreRef] = []
  /// The bits of the keys that have listeners at this node or below. A bit may stay set after its
  /// last listener has ended, until a search that visits this node clears it.
  var keyBits: UInt64 = 0
  /// The index of the node in the ``children`` of its parent's listener index.
  var index = 0
  /// Whether a search for an audience has visited this node. The search began at this node or
  /// above.
  ///
  /// Such a search has also visited all nodes from its start to this node. So a walk up that
  /// discards audiences ends at the first node without this flag.
  var isRemembered = false
  /// The stored audiences of the node's slots, at most one for each key.
  var audiences: [Audience] = []
  /// The number of own listeners at which the next registration removes the ended ones.
  var sweepAt = 8

  // The node has ended. The closures of its observers are released with it, although their tokens
  // may live on.
  deinit { endOwn() }
}

extension ListenerIndex {
  /// Ends the observations at the node, because the node or its responder is being released.
  func endOwn() {
    for listener in own { listener.nodeWillEnd() }
  }

  /// Removes the registrations that have ended.
  func sweep() {
    for listener in own where listener.hasEnded { listener.unregister() }
    sweepAt = max(8, own.count * 2)
  }

  /// Whether there are listeners here or below.
  var isActive: Bool { !own.isEmpty || !children.isEmpty }

  /// Discards the audiences that are stored here, and clears ``isRemembered``.
  func outdate() {
    isRemembered = false
    if !audiences.isEmpty { audiences = [] }
  }
}

extension ListenerIndex {
  /// Adds a listener to the stored audience of the node's slot for its key. If there is none, makes
  /// one for a wait that is the first listener to its key here and below.
  ///
  /// - Returns: false if the listener was not added: no audience is stored or made, or a round is
  ///   calling the audience.
  fileprivate func join(_ listener: Listener, _ level: Int, at core: Core) -> Bool {
    guard let index = audiences.firstIndex(where: { $0.id == listener.id }) else {
      guard listener.kind == .waiting, isFirst(listener.id) else { return false }
      let audience = Audience(listener.id, [(level, listener)], common: CoreRef(core))
      audiences.append(audience)
      isRemembered = true
      return true
    }
    guard isKnownUniquelyReferenced(&audiences[index]) else { return false }
    audiences[index].add(listener, level)
    return true
  }

  /// Returns whether nothing listens to the key here or below. The result is also false if the
  /// check would take long.
  private func isFirst(_ id: KeyID) -> Bool {
    own.count + children.count <= 8
      && own.allSatisfy { $0.kind == .mailbox || $0.id != id }
      && children.allSatisfy {
        ($0.contents?.listeners?.keyBits ?? 0) & id.bit == 0
      }
  }
}

extension Core {
  /// Returns the listeners of the node, and makes their index at the first call.
  func makeListenersIfNeeded() -> ListenerIndex {
    let contents = makeContentsIfNeeded()
    if let listening = contents.listeners { return listening }
    let listening = ListenerIndex()
    contents.listeners = listening
    return listening
  }

  /// Discards the stored audiences, here and above, that have listeners at this node or below.
  /// Another slot may now be the nearest one for these listeners.
  func outdateAudiences() {
    guard let listening = contents?.listeners, listening.isActive else { return }
    listening.outdate()
    // A search that ended at this node's slot did not pass the node, so the walk begins at the
    // parent.
    var node = liveParent
    while let core = node, let listening = core.contents?.listeners, listening.isRemembered {
      listening.outdate()
      node = core.liveParent
    }
  }

  /// Adds the bits of new listeners to the indexes of this node and its ancestors, up to the first
  /// index that has these bits already.
  ///
  /// `wasActive` says whether the node had listeners before, at the node or below. `outdating` says
  /// whether audiences above are discarded. `joined` is the node whose audience contains the new
  /// listener already.
  ///
  /// - Complexity: O(*depth*) for the first listener of a subtree to a key, O(1) for later ones.
  func addListenerBits(
    _ bits: UInt64, wasActive: Bool, outdating: Bool, joined: Core? = nil
  ) {
    var core = self
    var wasActive = wasActive
    var outdating = outdating
    var joined = joined
    while true {
      let listening = core.makeListenersIfNeeded()
      let isKnown = wasActive && listening.keyBits & bits == bits
      if isKnown, !outdating || !listening.isRemembered || joined != nil { return }
      // A node whose index lacked the bits is in no search from above, so the audiences above lack
      // its listeners. Only the audience that the listener joined has it.
      if !isKnown { outdating = true }
      if joined != nil {
        listening.isRemembered = true
        if core === joined { joined = nil }
      } else if outdating {
        listening.outdate()
      }
      listening.keyBits |= bits
      guard let parent = core.liveParent else { return }
      let above = parent.makeListenersIfNeeded()
      let aboveWasActive = above.isActive
      if !wasActive {
        listening.index = above.children.count
        above.children.append(CoreRef(core))
      }
      wasActive = aboveWasActive
      core = parent
    }
  }

  /// Adds a new wait or observer to the stored audience of the nearest slot for its key.
  ///
  /// So a later delivery to ten thousand waits needs no search. An observer joins only an audience
  /// that is stored already. For an observer, the walk up to the slot stops at a node that has
  /// listeners to the key and was visited by no search for an audience. In this case no slot above
  /// has a stored audience.
  ///
  /// Rejected: discarding the slot's audience, because the next change would then visit all
  /// siblings.
  ///
  /// - Returns: the slot's node; nil if the listener has joined no audience, for example because
  ///   the slot is a branch.
  /// - Complexity: O(*hops to the slot*). The walk is given up after 64 hops. For an observer it
  ///   has no more hops than the walk of `addListenerBits` that follows.
  func joinAudience(_ listener: Listener) -> Core? {
    var core = self
    let id = listener.id
    for level in 0..<64 {
      let listening = core.contents?.listeners
      if let entry = core.ownEntry(id) {
        guard !entry.slot.inherits else { return nil }
        return core.makeListenersIfNeeded().join(listener, level, at: core) ? core : nil
      }
      if let listening {
        // The node has an audience but no slot any more. The listener would be missing in that
        // audience.
        if listening.audiences.contains(where: { $0.id == id }) { return nil }
        if listener.kind == .observer, !listening.isRemembered, listening.isActive,
          listening.keyBits & id.bit != 0
        {
          return nil
        }
      }
      guard let parent = core.liveParent else { return nil }
      core = parent
    }
    return nil
  }

  /// Updates the indexes of this node and its ancestors after a listener was removed, up to the
  /// first index that does not change. `outdating` says whether audiences are discarded.
  func removeListenerBits(outdating: Bool) {
    var core = self
    while let listening = core.contents?.listeners {
      let isActive = listening.isActive
      if isActive, !outdating || !listening.isRemembered { return }
      if outdating { listening.outdate() }
      // This also happens at a top, which may be linked later. A node's bits must always be among
      // its parent's.
      if !isActive { listening.keyBits = 0 }
      guard let parent = core.liveParent else { return }
      if !isActive { parent.removeIndexedChild(child: listening) }
      core = parent
    }
  }

  /// Removes a child from the index, because the child has no listeners at or below it any more, or
  /// is unlinked from this node.
  func removeIndexedChild(child: ListenerIndex) {
    contents?.listeners?.children.swapRemove(at: child.index) {
      $0.contents?.listeners?.index = $1
    }
  }
}

extension Core {
  /// Adds the listeners of this node's subtree to the indexes of the ancestors, or removes them
  /// from these indexes.
  func shareListeners(adding: Bool) {
    guard let listeners = contents?.listeners, listeners.isActive, let parent = liveParent else {
      return
    }
    if adding {
      let above = parent.makeListenersIfNeeded()
      let wasActive = above.isActive
      listeners.index = above.children.count
      above.children.append(CoreRef(self))
      parent.addListenerBits(listeners.keyBits, wasActive: wasActive, outdating: true)
    } else {
      parent.removeIndexedChild(child: listeners)
      parent.removeListenerBits(outdating: true)
    }
  }
}

extension Array {
  /// Removes an element by moving the last one into its place, and calls the closure with the moved
  /// element and its new index.
  mutating func swapRemove(at index: Int, moved: (Element, Int) -> Void) {
    let last = removeLast()
    guard index < count else { return }
    self[index] = last
    moved(last, index)
  }
}
