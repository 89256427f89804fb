extension Responder {
  /// Returns a sentence for each law of listening that does not hold at the responder.
  final func checkListenerIndex() -> [String] {
    let active = owned.filter { $0.contents?.listeners?.isActive == true }
    guard let listening = contents?.listeners else {
      return active.isEmpty ? [] : ["does not know who listens below"]
    }
    var broken: [String] = []
    for (index, listener) in listening.own.enumerated()
    where listener.index != index || listener.core != coreReference.own {
      broken.append("has a listener that is registered elsewhere")
    }
    let listed = listening.children
    if listed.count != active.count
      || active.contains(where: { child in
        guard let index = child.contents?.listeners?.index, listed.indices.contains(index)
        else { return true }
        return listed[index] != child.coreReference.own
      })
    {
      broken.append("lists other children than those below which somebody listens")
    }
    let bits = listening.own.reduce(0) { $0 | $1.id.bit }
    let below = active.reduce(bits) { $0 | ($1.contents?.listeners?.keyBits ?? 0) }
    if below & ~listening.keyBits != 0 { broken.append("lacks bits of keys that are listened to") }
    return broken + listening.audiences.flatMap(check)
  }

  /// Compares a stored audience with all listeners below the responder, and returns a sentence for
  /// each difference.
  private func check(_ audience: Audience) -> [String] {
    let name = "remembers an audience"
    audience.sortNewcomers()
    var broken: [String] = []
    var nodes = [(responder: self, isBelowBranch: false)]
    var level = 0
    var expected: [UInt64: Listener] = [:]
    var hasBranch = false
    while !nodes.isEmpty {
      var next: [(responder: Responder, isBelowBranch: Bool)] = []
      for (node, isBelowBranch) in nodes {
        let listening = node.contents?.listeners
        for listener in listening?.own ?? []
        where listener.id == audience.id && listener.kind != .mailbox && !listener.hasEnded {
          expected[Audience.order(of: listener, level: level)] = listener
          // A listener to another key with the same bit does not count here.
          if isBelowBranch { hasBranch = true }
          if listening?.isRemembered != true {
            broken.append("\(name) that \(node.debugLabel) forgot")
          }
        }
        for child in node.owned where child.contents?.listeners?.isActive == true {
          let slot = child.contents?.ownSlot(audience.id)
          if slot == nil || slot?.inherits == true {
            next.append((child, isBelowBranch || slot != nil))
          }
        }
      }
      nodes = next
      level += 1
    }
    let found = audience.members.filter { !$0.listener.with(\.hasEnded) }
    if found.map(\.order) != expected.keys.sorted()
      || found.contains(where: { expected[$0.order] !== $0.listener.strong })
    {
      broken.append("\(name) of others than listen")
    }
    if audience.common != nil, hasBranch { broken.append("\(name) that a branch divides") }
    return broken
  }
}
