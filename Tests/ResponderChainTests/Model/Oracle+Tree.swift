/// The steps of the oracle that change links.
extension Oracle {
  func applyToTree(_ operation: Operation) {
    switch operation {
    case .make(let node):
      if !nodes[node].isAlive { nodes[node] = Node(kind: nodes[node].kind) }
    case .drop(let node):
      if node != 0 { nodes[node].isHeld = false }
    case .insert(let child, let parent, let index), .move(let child, let parent, let index):
      insert(child, under: parent, at: index)
    case .reorder(let child, let index):
      guard let parent = nodes[child].parent, nodes[parent].children.contains(child) else { return }
      nodes[parent].children.removeAll { $0 == child }
      nodes[parent].children.insert(child, at: min(index, nodes[parent].children.count))
      logChildren(of: parent)
    case .remove(let child):
      if nodes[child].parent != nil { detach(child) }
    case .setRootView(let view, let controller):
      setRootView(view, of: controller)
    case .present(let presented, let presenter):
      present(presented, by: presenter)
    case .dismiss(let presenter):
      guard let presented = nodes[presenter].presented else { return }
      detach(presented)
    case .makeFirst(let node):
      if top(of: node) == 0 { first = node } else { log.append(.refused) }
    default: preconditionFailure("\(operation) is no step of the tree")
    }
  }

  private func insert(_ child: Int, under parent: Int, at index: Int) {
    guard child != 0, !subtree(child).contains(parent) else { return log.append(.refused) }
    change(moved: child) {
      unlink(child)
      nodes[child].parent = parent
      let count = nodes[parent].children.count
      nodes[parent].children.insert(child, at: min(index, count))
    }
    logChildren(of: parent)
  }

  private func setRootView(_ view: Int?, of controller: Int) {
    guard nodes[controller].kind == .controller, nodes[controller].rootView != view else { return }
    if let view, nodes[view].kind != .view || subtree(view).contains(controller) { return }
    batch {
      if let old = nodes[controller].rootView { detach(old) }
      guard let view else { return }
      change(moved: view) {
        unlink(view)
        nodes[controller].rootView = view
        nodes[view].parent = controller
      }
    }
  }

  private func present(_ presented: Int, by presenter: Int) {
    guard nodes[presenter].kind == .controller, nodes[presented].kind == .controller else { return }
    guard nodes[presented].parent == nil, nodes[presenter].presented == nil,
      !subtree(presented).contains(presenter)
    else { return log.append(.refused) }
    change(moved: presented) {
      nodes[presenter].presented = presented
      nodes[presented].parent = presenter
    }
  }

  private func detach(_ child: Int) {
    if isInRound { silenced.insert(child) }
    change(moved: child) { unlink(child) }
  }

  private func unlink(_ child: Int) {
    guard let parent = nodes[child].parent else { return }
    loseFirst(child, from: parent)
    nodes[child].parent = nil
    nodes[parent].children.removeAll { $0 == child }
    if nodes[parent].rootView == child { nodes[parent].rootView = nil }
    if nodes[parent].presented == child { nodes[parent].presented = nil }
  }

  /// Notes who follows the first responder, if it is about to leave the application's tree.
  private func loseFirst(_ child: Int, from parent: Int) {
    guard let first, top(of: child) == 0 else { return }
    let removed = subtree(child)
    guard removed.contains(first) || fallback.map(removed.contains) ?? false else { return }
    if fallback == nil { works[.last, default: []].append(Work(number: -1, step: nil)) }
    fallback = parent
  }

  func settleFirst() {
    if let node = first, top(of: node) != 0 {
      first = fallback.flatMap { top(of: $0) == 0 ? $0 : nil }
    }
    fallback = nil
  }

  private func logChildren(of parent: Int) {
    log.append(.state("n\(parent) has \(nodes[parent].children)"))
  }

  func finish() -> [Event] {
    nodes.indices.filter { nodes[$0].isAlive }.map { index in
      let node = nodes[index]
      let slots = node.slots.sorted { $0.key < $1.key }.map { "\($0.key) \(kind($0.value))" }
      return .state(
        "n\(index) next \(node.parent ?? -1) children \(node.children) view "
          + "\(node.rootView ?? -1) presents \(node.presented ?? -1) slots \(slots)")
    }
  }

  private func kind(_ slot: Slot) -> String {
    switch slot {
    case .value: "value"
    case .pending: "pending"
    case .failed: "failed"
    case .branch(let branch): "\(branch.policy)"
    case .block: "block"
    }
  }
}
