/// The end of each step: the mail is read, the dead are buried.
extension Oracle {
  /// Applies what was delivered to slots that are in the application's tree now, in one round.
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

  /// Lets those die that nobody owns, and then tells those who survived them.
  ///
  /// Which tree hears first is nobody's promise, so their events are put one tree after the other.
  func buryTheDead() {
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

/// Sorts the events of observers by the top of their tree, and leaves them in order within a tree.
func sortedByTree(_ events: [Event], top: (Int) -> Int) -> [Event] {
  let keyed = events.enumerated().map { offset, event in
    guard case .heard(_, let node, _, _) = event else { return (-1, offset, event) }
    return (top(node), offset, event)
  }
  return keyed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
}
