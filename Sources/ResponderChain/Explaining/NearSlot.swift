/// The greatest number of slots that an explanation names beside the way of the lookup.
let nearMissLimit = 8

/// A slot that is not on the way of a lookup, and is no block.
struct NearSlot {
  /// The position of a slot, in relation to the responder that asked.
  enum Position: Equatable {
    /// Below the responder. Lookups do not find it, because lookups go up.
    case below
    /// Above the slot at which the lookup ends.
    case above
    case beside
    case detached
    /// In the tree that the responder's tree was detached from.
    case former
  }

  let owner: Responder
  let kind: SlotSummary.SlotKind
  let position: Position
}

extension NearSlot {
  /// Returns the first slots for a key outside of the tree with a top: in trees that were detached from
  /// it, and in the tree that it was detached from. Calls a closure for each responder that is visited.
  static func outside(_ top: Responder, _ id: KeyID, _ visit: () -> Void = {}) -> [NearSlot] {
    var found: [NearSlot] = []
    var seen: Set<ObjectIdentifier> = []
    func look(_ responders: some Sequence<Responder>, _ position: Position) {
      for responder in responders {
        visit()
        if found.count == nearMissLimit { return }
        guard let slot = responder.contents?.slot(id), slot.kind != .block,
          seen.insert(ObjectIdentifier(responder)).inserted
        else { continue }
        found.append(NearSlot(owner: responder, kind: slot.kind, position: position))
      }
    }
    let tree = top.attachedTree
    for root in tree?.detachedRoots.compactMap(\.object) ?? [] where root.attachedTree == nil {
      look([root] + Array(root.descendants), .detached)
    }
    if tree == nil, let former = top.contents?.formerParent {
      // It may be in this tree again.
      let chain = Array(former.chain)
      if chain.last !== top { look(chain, .former) }
    }
    return found
  }
}
