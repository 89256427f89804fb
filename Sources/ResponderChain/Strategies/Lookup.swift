/// The lookup of a key, whatever the strategy of the tree.
enum Lookup {
  /// Walks from parent to parent. Trees without an application are looked up so, too.
  @inline(__always)
  static func walk(_ id: KeyID, from start: CoreRef?, _ steps: inout Steps) -> EntryRef? {
    let wanted = id.bit | NodeBits.dead
    var next = start
    while let node = next {
      steps.count += 1
      let bits = node.flags
      if bits & wanted != 0 {
        if bits & NodeBits.dead != 0 { return nil }
        if let entry = node.ownEntry(id) { return entry }
      }
      next = node.parent
    }
    return nil
  }

  /// Makes all that is remembered of a tree stale before a subtree leaves it.
  static func forgetTree(of responder: Responder) {
    if let core = responder.ownCore, core.validRoute != nil, !responder.owned.isEmpty {
      core.invalidateTree()
    }
    responder.forgetRoute()
  }
}

extension Responder {
  /// Returns the entry that decides about a key for this responder; `nil` if there is none.
  @inline(__always)
  final func locate(_ id: KeyID, _ steps: inout Steps) -> EntryRef? {
    guard let route = currentRoute, let strategy = route.strategy else {
      return Lookup.walk(id, from: place.start, &steps)
    }
    return strategy.find(id, from: place.start, route, &steps)
  }

  /// Returns the entry that decides about a key for this responder; `nil` if there is none.
  @inline(__always)
  final func locate(_ id: KeyID) -> EntryRef? {
    var steps = Steps()
    return locate(id, &steps)
  }

  /// The object that the responder resolves a key to, if it can be read without more.
  ///
  /// Neither it nor a cell is retained: the caller reads it before it does anything else.
  @usableFromInline
  final func object(_ id: KeyID) -> ObjectRef? { entry(id)?.object }

  /// The cell of the value that the responder resolves a key to, if it can be read without more.
  @usableFromInline
  final func cell(_ id: KeyID) -> CellRef? { entry(id)?.cell }

  @inline(__always)
  private final func entry(_ id: KeyID) -> EntryRef? {
    guard let route else { return entryFarther(id) }
    var steps = Steps()
    // Branches, because a switch becomes a jump through a table. All others go the longer way, which
    // is a switch over all strategies.
    let followed = route.followed
    if followed == .skipping { return Skipping.find(id, from: place.start, route, &steps) }
    if followed == .baton { return Baton.find(id, from: place.start, route, &steps) }
    return entryFarther(id)
  }

  /// Returns the entry in any case. Not inlined, so that where it is not needed no registers are
  /// saved for it.
  @inline(never)
  private final func entryFarther(_ id: KeyID) -> EntryRef? { locate(id) }
}

extension Core {
  /// Returns the entry that decides about a key for this node; `nil` if there is none.
  func locate(_ id: KeyID) -> EntryRef? {
    var steps = Steps()
    let start = CoreRef(self)
    guard let route = validRoute ?? validate(), let strategy = route.strategy else {
      return Lookup.walk(id, from: start, &steps)
    }
    return strategy.find(id, from: start, route, &steps)
  }

  /// Returns the cell of the value the node resolves a key to, if it can be read without more.
  func cell(_ id: KeyID) -> CellRef? { locate(id)?.cell }
}
