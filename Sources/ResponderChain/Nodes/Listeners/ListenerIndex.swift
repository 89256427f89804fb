/// The listeners at a node and below it, so that a change finds those it concerns without visiting
/// the others.
final class ListenerIndex {
  /// The listeners registered at the node itself, in no particular order.
  var own: [Listener] = []
  /// The children with listeners at or below them. They are owned by the node's responder.
  var children: [CoreRef] = []
  /// The bits of the keys listened to here and below; may have bits too many, which descents clear.
  var keyBits: UInt64 = 0
  /// The node's index in its parent's `children`.
  var index = 0
  /// Whether an audience was found by passing here, at this node or above.
  ///
  /// Then all nodes between are remembered too, so outdating audiences walks up only as far as nodes
  /// are remembered.
  var isRemembered = false
  /// The audiences of the last changes of the node's slots, by key.
  var audiences: [Audience] = []
  /// The number of own observers after which ended ones are looked for.
  var sweepAt = 8

  // The node is gone: what its observers captured goes with it, though their tokens remain.
  deinit { endOwn() }
}

extension ListenerIndex {
  /// Ends the observations at the node, which is going.
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

  /// Forgets the audiences that were found by passing here.
  func outdate() {
    isRemembered = false
    if !audiences.isEmpty { audiences = [] }
  }
}

extension ListenerIndex {
  /// Adds a listener to the audience of a slot of the node; makes the first for one that waits.
  ///
  /// - Returns: false if it is not known whether the audience would be whole, or if it is being
  ///   told.
  fileprivate func join(_ listener: Listener, _ level: Int, at core: Core) -> Bool {
    guard let index = audiences.firstIndex(where: { $0.id == listener.id }) else {
      guard listener.kind == .waiting, isFirst(listener.id) else { return false }
      let audience = Audience(listener.id, [(level, listener)], common: CoreRef(core))
      audiences.append(audience)
      isRemembered = true
      return true
    }
    guard isKnownUniquelyReferenced(&audiences[index]) else { return false }
    let audience = audiences[index]
    if audience.isStale { audience.sweep() }
    audience.add(listener, level)
    return true
  }

  /// Returns whether it is easily seen that nothing waits for a key here or below.
  private func isFirst(_ id: KeyID) -> Bool {
    own.count + children.count <= 8
      && own.allSatisfy { $0.kind == .mailbox || $0.id != id }
      && children.allSatisfy {
        ($0.contents?.listeners?.keyBits ?? 0) & id.bit == 0
      }
  }
}

extension Core {
  /// Returns the listeners of the node, made on first need.
  func madeListeners() -> ListenerIndex {
    let contents = madeContents()
    if let listening = contents.listeners { return listening }
    let listening = ListenerIndex()
    contents.listeners = listening
    return listening
  }

  /// Tells the ancestors of the listeners here and below that another slot may decide for these now.
  func outdateAudiences() {
    guard let listening = contents?.listeners, listening.isActive else { return }
    listening.outdate()
    // The node itself was not passed if its slot was where an audience ended.
    var node = liveParent
    while let core = node, let listening = core.contents?.listeners, listening.isRemembered {
      listening.outdate()
      node = core.liveParent
    }
  }

  /// Tells the ancestors that there is a listener here now, as far up as that is news.
  ///
  /// `wasActive` says whether there was one before; `joined` is the node whose audience has the new
  /// one already.
  ///
  /// - Complexity: O(depth) for the first of a subtree and key, O(1) for those that follow.
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
      // A way down that is new was not passed by any audience above, but for the one joined.
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

  /// Adds a listener that is about to wait or observe here to the audience of the slot that decides
  /// for it, so that it, and all beside it, need not be looked for when the slot changes.
  ///
  /// An observer joins only an audience that is known. So it gives up where there can be none: at a
  /// node that no audience was found by passing, though its key is listened to below.
  ///
  /// - Returns: the slot's node; nil if the slot's audience is not known, or divided by a branch.
  /// - Complexity: O(hops to the slot), which is given up if they are many. An observer takes no
  ///   more hops than are needed to tell the nodes above of it.
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
        // It had a slot: the audience of that one's end would lack the newcomer.
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

  /// Tells the ancestors that a listener here is gone, as far up as that is news.
  func fadeListening(outdating: Bool) {
    var core = self
    while let listening = core.contents?.listeners {
      let isActive = listening.isActive
      if isActive, !outdating || !listening.isRemembered { return }
      if outdating { listening.outdate() }
      // Also at a top: it may be linked later, and a node's bits are always among its parent's.
      if !isActive { listening.keyBits = 0 }
      guard let parent = core.liveParent else { return }
      if !isActive { parent.forgetListening(child: listening) }
      core = parent
    }
  }

  /// Removes a child from those with listeners at or below them.
  func forgetListening(child: ListenerIndex) {
    contents?.listeners?.children.swapRemove(at: child.index) {
      $0.contents?.listeners?.index = $1
    }
  }
}

extension Core {
  /// Tells all ancestors of the listeners in a subtree that comes or goes.
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
  /// Removes an element by moving the last one into its place, which is told its new index.
  mutating func swapRemove(at index: Int, moved: (Element, Int) -> Void) {
    let last = removeLast()
    guard index < count else { return }
    self[index] = last
    moved(last, index)
  }
}
