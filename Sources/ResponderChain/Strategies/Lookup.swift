/// The parts of lookups that strategies share.
enum Lookup {
  /// Returns the entry for a key, by a walk from parent to parent; nil if there is none. All
  /// lookups in trees without an application use this function.
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

  /// Removes the route of a responder that leaves its tree. If the responder has children, all
  /// routes of the tree become stale, because the children may use them.
  static func forgetTree(of responder: Responder) {
    if let core = responder.ownCore, core.validRoute != nil, !responder.owned.isEmpty {
      core.invalidateTree()
    }
    responder.forgetRoute()
  }
}

extension Responder {
  /// Returns the table entry with the nearest slot for a key, from this responder up; nil if there
  /// is none. Adds the number of nodes that the lookup looks at to `steps`.
  @inline(__always)
  final func locate(_ id: KeyID, _ steps: inout Steps) -> EntryRef? {
    guard let route = currentRoute, let strategy = route.strategy else {
      return Lookup.walk(id, from: coreReference.start, &steps)
    }
    return strategy.find(id, from: coreReference.start, route, &steps)
  }

  /// Returns the table entry with the nearest slot for a key, from this responder up; nil if there
  /// is none.
  @inline(__always)
  final func locate(_ id: KeyID) -> EntryRef? {
    var steps = Steps()
    return locate(id, &steps)
  }

  /// Returns the object to which the responder resolves a key; nil if there is none, or if a branch
  /// must be evaluated first.
  ///
  /// The object is not retained, so the caller must use it before any other code runs.
  ///
  /// Most lookups need only this function and ``entry(_:)``, which have no stack frame. Rejected:
  /// inlining them into clients, where exclusivity would be checked for each stored property.
  @usableFromInline
  final func object(_ id: KeyID) -> ObjectRef? { entry(id)?.object }

  /// Returns the cell to which the responder resolves a key; nil if there is none, or if a branch
  /// must be evaluated first. Like the result of ``object(_:)``, the cell is not retained.
  @usableFromInline
  final func cell(_ id: KeyID) -> CellRef? { entry(id)?.cell }

  @inline(__always)
  private final func entry(_ id: KeyID) -> EntryRef? {
    guard let route else { return entryFarther(id) }
    var steps = Steps()
    // These are `if` statements, because the compiler turns a switch into a jump through a table.
    // Without the hint it would compare with `.baton` first. All other cases take the longer way,
    // with a switch over all strategies.
    let followed = route.followed
    if _fastPath(followed == .skipping) {
      return Skipping.find(id, from: coreReference.start, route, &steps)
    }
    if followed == .baton { return Baton.find(id, from: coreReference.start, route, &steps) }
    return entryFarther(id)
  }

  /// Returns the entry for a key under any strategy, even if the route is stale; nil if there is
  /// none. The function is not inlined, so that its caller need not save registers in the usual
  /// cases.
  @inline(never)
  private final func entryFarther(_ id: KeyID) -> EntryRef? { locate(id) }
}

extension Core {
  /// Returns the table entry with the nearest slot for a key, from this node up; nil if there is
  /// none.
  func locate(_ id: KeyID) -> EntryRef? {
    var steps = Steps()
    let start = CoreRef(self)
    guard let route = validRoute ?? validate(), let strategy = route.strategy else {
      return Lookup.walk(id, from: start, &steps)
    }
    return strategy.find(id, from: start, route, &steps)
  }

  /// Returns the cell to which the node resolves a key; nil if there is none, or if a branch must
  /// be evaluated first.
  func cell(_ id: KeyID) -> CellRef? { locate(id)?.cell }
}
