/// The strategy that pushes each slot down to the tables of all cores below that inherit it. So a
/// lookup reads one table.
///
/// An entry of a table has a slot, and the cell of the slot's value if there is one. For a branch
/// without a child, entries have only the slot. The first read of the branch makes the child, which
/// is then pushed down, too.
enum Baton: ResolutionStrategy {
  static var routeShape: RouteShape { .oneForTheTree }

  @inline(__always)
  static func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?
  {
    steps.count += 1
    return start?.entry(id)
  }

  static func slotChanged(_ id: KeyID, at responder: Responder) {
    let core = responder.core
    if core.ownEntry(id) == nil {
      inherit(id, core.liveParent?.contents?.find(id), at: core)
    }
    let entry = core.contents?.find(id)
    var pending = [responder]
    while let node = pending.popLast() {
      for child in node.owned {
        guard let core = child.ownCore, core.ownEntry(id) == nil else { continue }
        inherit(id, entry, at: core)
        if !child.owned.isEmpty { pending.append(child) }
      }
    }
  }

  static func bitAdded(_ bit: UInt64, at responder: Responder) {}

  static func linked(_ responder: Responder, in route: RouteRef) {
    var pending = [responder]
    while let node = pending.popLast() {
      guard let core = node.ownCore else { continue }
      core.adopt(route.strong)
      core.liveParent?.contents?.forEachEntry { entry in
        let slot = entry.slot
        guard core.ownEntry(slot.id) == nil else { return }
        core.makeContentsIfNeeded().put(slot, cell: entry.cell?.strong, isOwn: false)
      }
      pending.append(contentsOf: node.owned)
    }
  }

  static func unlinked(_ responder: Responder) {
    var pending = [responder]
    while let node = pending.popLast() {
      node.forgetRoute()
      for slot in node.contents?.pushedSlots ?? [] { node.contents?.remove(slot.id) }
      pending.append(contentsOf: node.owned)
    }
  }

  private static func inherit(_ id: KeyID, _ entry: EntryRef?, at node: Core) {
    if let entry {
      node.makeContentsIfNeeded().put(entry.slot, cell: entry.cell?.strong, isOwn: false)
    } else {
      node.contents?.remove(id)
    }
  }
}
