/// Pushes every slot down to each node it decides for, so that a lookup reads one table.
///
/// An entry has the value itself where there is one, and the slot, which says why where there is
/// none. Below a branch whose child is not made yet there is only the slot: its first reader makes
/// the child, which is then pushed.
enum Baton: ResolutionStrategy {
  @inline(__always)
  static func find<S: StepCounter>(_ id: KeyID, above core: Core, _ steps: inout S)
    -> UnsafeMutablePointer<Entry>?
  {
    core.contents?.find(id)
  }

  static func slotChanged(_ id: KeyID, at core: Core) {
    guard core.validEpoch != nil else { return }
    if core.ownEntry(id) == nil {
      inherit(id, core.liveParent?.contents?.find(id), at: core)
    }
    let entry = core.contents?.find(id)
    var pending = core.owned
    while let node = pending.popLast()?.core {
      if node.ownEntry(id) != nil { continue }
      inherit(id, entry, at: node)
      pending.append(contentsOf: node.owned)
    }
  }

  static func firstSlot(at core: Core) {}

  static func linked(_ core: Core, in epoch: Unmanaged<Epoch>) {
    var pending = [core]
    while let node = pending.popLast() {
      node.adopt(epoch)
      for slot in node.liveParent?.contents?.allSlots ?? [] where node.ownEntry(slot.id) == nil {
        node.madeContents().put(slot.id, slot: slot, cell: slot.settledCell, isOwn: false)
      }
      pending.append(contentsOf: node.owned.map(\.core))
    }
  }

  static func unlinked(_ core: Core) {
    var pending = [core]
    while let node = pending.popLast() {
      node.adopt(nil)
      for slot in node.contents?.pushedSlots ?? [] { node.contents?.remove(slot.id) }
      pending.append(contentsOf: node.owned.map(\.core))
    }
  }

  private static func inherit(_ id: KeyID, _ entry: UnsafeMutablePointer<Entry>?, at node: Core) {
    if let slot = entry?.pointee.slot?.takeUnretainedValue() {
      node.madeContents().put(id, slot: slot, cell: slot.settledCell, isOwn: false)
    } else {
      node.contents?.remove(id)
    }
  }
}
