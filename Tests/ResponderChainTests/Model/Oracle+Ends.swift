/// The end of each step: letters are applied, and responders without an owner end.
extension Oracle {
  /// Applies the delivered outcomes in one round. Outcomes for slots outside the tree of the
  /// application must wait.
  func drain() {
    guard !arrived.isEmpty else { return }
    batch {
      change {
        for (delivery, slot) in arrived {
          guard let (node, key) = deliveries[delivery], top(of: node) == 0 else { continue }
          arrived[delivery] = nil
          put(slot, node, key)
        }
      }
    }
  }

  /// Ends the responders that nothing retains, then notifies the observers of the children that
  /// survive.
  ///
  /// The library does not promise which tree is notified first. So the events are sorted by tree.
  func detachOrphans() {
    var dead: [Int] = []
    let isOwned = nodes.map { !$0.isAlive || $0.isHeld || $0.parent != nil }
    guard isOwned.dropFirst().contains(false) else { return }
    let start = log.count + 1
    runsScripts = false
    let parents = nodes.map(\.parent)
    batch {
      for node in nodes.indices.dropFirst() where !isOwned[node] {
        change { kill(node, &dead) }
      }
      log.append(.died(dead.sorted()))
      for (node, parent) in parents.enumerated() where nodes[node].isAlive {
        if let parent, dead.contains(parent) { change(moved: node) {} }
      }
    }
    runsScripts = true
    log.replaceSubrange(start..., with: sortedByTree(Array(log[start...])) { top(of: $0) })
  }

  private func kill(_ node: Int, _ dead: inout [Int]) {
    dead.append(node)
    let orphans = nodes[node].owned
    nodes[node] = Node(kind: nodes[node].kind, isAlive: false, isHeld: false)
    observers = observers.filter { $0.value.node != node }
    for (delivery, place) in deliveries where place.node == node { close(delivery) }
    for orphan in orphans {
      nodes[orphan].parent = nil
      if !nodes[orphan].isHeld { kill(orphan, &dead) }
    }
  }
}

/// Sorts the calls of observers by the top of their tree. Calls within a tree keep their order, and
/// all other events come first.
func sortedByTree(_ events: [Event], top: (Int) -> Int) -> [Event] {
  let keyed = events.enumerated().map { offset, event in
    guard case .heard(_, let node, _, _) = event else { return (-1, offset, event) }
    return (top(node), offset, event)
  }
  return keyed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
}
