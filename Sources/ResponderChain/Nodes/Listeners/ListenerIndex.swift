/// The listeners at a node, and the children with listeners at or below them.
///
/// A change finds the listeners it concerns without visiting other nodes. Rejected: a list of
/// observers at each slot, because a new provider between a slot and its observers would have to
/// sort all of them.
final class ListenerIndex {
  /// The listeners registered at the node itself, in no particular order.
  var own: [Listener] = []
  /// The children with listeners at or below them. The node's responder owns them.
  var children: [CoreRef] = []
  // Exclusivity checking of the plain values is off for speed. This is safe because each access is a
  // copy or an assignment.

  /// The bits of the keys listened to here and below. A bit may stay after its last listener has
  /// ended, until a search that descends to this node clears it.
  @exclusivity(unchecked) @safe var keyBits: UInt64 = 0
  /// The node's index in its parent's `children`.
  @exclusivity(unchecked) @safe var index = 0
  /// Whether a search for an audience, begun at this node or above, has passed this node.
  ///
  /// Then it has passed all nodes between as well. So forgetting audiences walks up only as far as
  /// nodes have this flag.
  @exclusivity(unchecked) @safe var isRemembered = false
  /// The remembered audiences of the node's slots, one for each key.
  var audiences: [Audience] = []
  /// The number of own listeners at which the next registration removes the ended ones.
  @exclusivity(unchecked) @safe var sweepAt = 8

  // The node has ended. The closures of its observers are released with it, although their tokens
  // may live on.
  deinit { endOwn() }
}

extension ListenerIndex {
  /// Ends the observations at the node, which is being released.
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

  /// Forgets the audiences whose search passed this node.
  func outdate() {
    isRemembered = false
    if !audiences.isEmpty { audiences = [] }
  }
}

extension ListenerIndex {
  /// Adds a listener to the audience of a slot of the node, or makes an audience for the first
  /// wait.
  ///
  /// - Returns: false if the audience might lack other listeners, or if a round is calling it.
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

  /// Returns whether a short check shows that nothing listens to the key here or below.
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
  func madeListeners() -> ListenerIndex {
    let contents = madeContents()
    if let listening = contents.listeners { return listening }
    let listening = ListenerIndex()
    contents.listeners = listening
    return listening
  }

  /// Forgets the audiences that have listeners here or below, because another slot may be the
  /// nearest one for these listeners now.
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

  /// Records at the ancestors that this node has a new listener, up to the first ancestor that
  /// knows of such a listener already.
  ///
  /// `wasActive` says whether the node had listeners at or below it before. `outdating` says
  /// whether audiences above are forgotten. `joined` is the node whose audience contains the new
  /// listener already.
  ///
  /// - Complexity: O(*depth*) for the first listener of a subtree to a key, O(1) for later ones.
  func spreadListening(
    _ bits: UInt64, wasActive: Bool, outdating: Bool, joined: Core? = nil
  ) {
    var core = self
    var wasActive = wasActive
    var outdating = outdating
    var joined = joined
    while true {
      let listening = core.madeListeners()
      let isKnown = wasActive && listening.keyBits & bits == bits
      if isKnown, !outdating || !listening.isRemembered || joined != nil { return }
      // No search from above has passed a new way down, except the one for the audience that the
      // listener joined.
      if !isKnown { outdating = true }
      if joined != nil {
        listening.isRemembered = true
        if core === joined { joined = nil }
      } else if outdating {
        listening.outdate()
      }
      listening.keyBits |= bits
      guard let parent = core.liveParent else { return }
      let above = parent.madeListeners()
      let aboveWasActive = above.isActive
      if !wasActive {
        listening.index = above.children.count
        above.children.append(CoreRef(core))
      }
      wasActive = aboveWasActive
      core = parent
    }
  }

  /// Adds a new wait or observer to the audience of the nearest slot for its key.
  ///
  /// So a later delivery need not search for ten thousand waits. An observer joins only an audience
  /// that is known. Its search for the slot stops at a node that has listeners to the key and that
  /// no search for an audience has passed. No slot above can have a known audience then.
  ///
  /// Rejected: forgetting the slot's audience, because the next change would then visit all
  /// siblings.
  ///
  /// - Returns: the slot's node; nil if the slot's audience is not known, or if the slot is a
  ///   branch.
  /// - Complexity: O(*hops to the slot*), at most 64, beyond which the search is given up. An
  ///   observer takes no more hops than are needed to tell the nodes above of it.
  func joinAudience(_ listener: Listener) -> Core? {
    var core = self
    let id = listener.id
    for level in 0..<64 {
      let listening = core.contents?.listeners
      if let entry = core.ownEntry(id) {
        guard !entry.slot.inherits else { return nil }
        return core.madeListeners().join(listener, level, at: core) ? core : nil
      }
      if let listening {
        // The node has an audience but no slot any more. That audience would lack the listener.
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

  /// Records at the ancestors that a listener here was removed, up to the first whose index does
  /// not change.
  func fadeListening(outdating: Bool) {
    var core = self
    while let listening = core.contents?.listeners {
      let isActive = listening.isActive
      if isActive, !outdating || !listening.isRemembered { return }
      if outdating { listening.outdate() }
      // This also happens at a top, which may be linked later. A node's bits must always be among
      // its parent's.
      if !isActive { listening.keyBits = 0 }
      guard let parent = core.liveParent else { return }
      if !isActive { parent.forgetListening(child: listening) }
      core = parent
    }
  }

  /// Removes a child that has no listeners at or below it any more.
  func forgetListening(child: ListenerIndex) {
    contents?.listeners?.children.swapRemove(at: child.index) {
      $0.contents?.listeners?.index = $1
    }
  }
}

extension Core {
  /// Adds the listeners of a subtree to the indexes of its ancestors, or removes them.
  func shareListeners(adding: Bool) {
    guard let listeners = contents?.listeners, listeners.isActive, let parent = liveParent else {
      return
    }
    if adding {
      let above = parent.madeListeners()
      let wasActive = above.isActive
      listeners.index = above.children.count
      above.children.append(CoreRef(self))
      parent.spreadListening(listeners.keyBits, wasActive: wasActive, outdating: true)
    } else {
      parent.forgetListening(child: listeners)
      parent.fadeListening(outdating: true)
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
