extension ListenerIndex {
  /// Returns the audience of the node's slot for a key. If no audience is stored, makes one by a
  /// search, and stores it if possible.
  func audience(of id: KeyID, below node: Core) -> Audience {
    if let known = audience(id) { return known }
    return node.newAudience(id, self)
  }
}

extension Core {
  /// Makes the audience of the node's slot for a key by a search of the subtree, and stores it if
  /// possible.
  ///
  /// The search does not go below other slots for the key, because each answers all lookups below
  /// itself. Branches are excepted, because their answers depend on the slots above.
  fileprivate func newAudience(_ id: KeyID, _ listeners: ListenerIndex) -> Audience {
    var found: [(level: Int, listener: Listener)] = []
    var hasBranch = false
    let sweeps = listeners.descend(from: self, bits: id.bit, remembering: true) {
      level, listener in
      guard listener.id == id, listener.kind != .mailbox else { return false }
      found.append((level, listener))
      return true
    } into: { child in
      guard let entry = child.ownEntry(id) else { return true }
      let isBranch = entry.slot.inherits
      if isBranch { hasBranch = true }
      return isBranch
    }
    // The start node gets this flag even if nothing listens to the key, because an empty audience
    // is stored as well.
    listeners.isRemembered = true
    let audience = Audience(id, found, common: hasBranch ? nil : CoreRef(self))
    // Removing ended listeners has cleared the flag `isRemembered` of other nodes that this search
    // visited. So this audience is not stored.
    if !sweeps {
      listeners.audiences.removeAll { $0.id == id }
      listeners.audiences.append(audience)
    }
    return audience
  }

  /// Calls the closure with all listeners at the node and below it, level by level.
  func visitListeners(_ visit: (_ level: Int, Listener) -> Void) {
    _ = contents?.listeners?.descend(from: self, bits: NodeBits.keys, remembering: false) {
      visit($0, $1)
      return true
    } into: { _ in
      true
    }
  }
}

extension ListenerIndex {
  /// Returns the stored audience of the node's slot for a key. Returns nil if there is none, or if
  /// a round has found in it listeners that have ended, and has not removed them yet.
  @inline(__always)
  fileprivate func audience(_ id: KeyID) -> Audience? {
    for audience in audiences where audience.id == id {
      // A round is calling this audience. The audience must keep its listeners until the round
      // removes the ended ones.
      if audience.isStale { return nil }
      audience.sortNewcomers()
      return audience
    }
    return nil
  }

  /// Visits listeners level by level. `bits` is a mask of key bits: a subtree is skipped if no
  /// listener in it has a key with a bit in this mask.
  ///
  /// `visit` returns whether it needs the listener. The search goes below a child only if
  /// `isEntered` returns true for it. If `remembering` is true, visited nodes get the flag
  /// ``isRemembered``.
  ///
  /// - Returns: whether ended listeners were removed on the way.
  @discardableResult
  fileprivate func descend(
    from start: Core, bits: UInt64, remembering: Bool,
    visit: (Int, Listener) -> Bool, into isEntered: (CoreRef) -> Bool
  ) -> Bool {
    var sweeps = false
    var nodes = [CoreRef(start)]
    var next: [CoreRef] = []
    var level = 0
    while !nodes.isEmpty {
      for node in nodes {
        guard let listening = node.contents?.listeners,
          listening.keyBits & bits != 0
        else { continue }
        if remembering { listening.isRemembered = true }
        var isUseful = false
        var hasEnded = false
        for listener in listening.own {
          if listener.hasEnded {
            hasEnded = true
          } else if visit(level, listener) {
            isUseful = true
          }
        }
        for child in listening.children {
          let below = child.contents?.listeners?.keyBits ?? 0
          guard below & bits != 0 else { continue }
          isUseful = true
          if isEntered(child) { next.append(child) }
        }
        if hasEnded {
          sweeps = true
          listening.sweep()
        }
        if !isUseful { listening.recountBits() }
      }
      swap(&nodes, &next)
      next.removeAll(keepingCapacity: true)
      level += 1
    }
    return sweeps
  }
}

extension ListenerIndex {
  /// Computes ``keyBits`` anew, without keys to which nothing listens any more.
  func recountBits() {
    keyBits = own.reduce(0) { $0 | $1.id.bit }
    for child in children {
      keyBits |= child.contents?.listeners?.keyBits ?? 0
    }
  }
}
