/// The steps of the oracle that change slots.
extension Oracle {
  func applyToSlots(_ operation: Operation) {
    switch operation {
    case .provide(let context, let node, let key):
      if case .value(context) = nodes[node].slots[key] { return }
      put(.value(context), node, key)
    case .block(let node, let key):
      if case .block = nodes[node].slots[key] { return }
      put(.block, node, key)
    case .expect(let delivery, let node, let key):
      put(.pending(delivery: delivery), node, key)
      deliveries[delivery] = (node, key)
    case .deliver(let context, let delivery): settle(delivery, .value(context))
    case .fail(let error, let delivery): settle(delivery, .failed(error))
    case .branch(let policy, let node, let key): branch(policy, node, key)
    case .soil(let node, let key):
      guard case .branch = nodes[node].slots[key] else { return }
      if case .value(let child) = resolve(node, key) { contexts[child].isDirty = true }
    case .clean(let node, let key):
      if top(of: node) == 0, let child = child(node, key) { contexts[child].isDirty = false }
    case .remake(let node, let key):
      guard let child = child(node, key), !contexts[child].isDirty else { return }
      dropChild(node, key)
      slotWasReplaced(node, key)
    case .withdraw(let node, let key, let unsaved):
      withdraw(node, key, unsaved)
    default: preconditionFailure("\(operation) is no step of slots")
    }
  }

  /// Replaces a slot. If the old slot was pending, its delivery is closed and accepts no outcome
  /// any more.
  func put(_ slot: Slot?, _ node: Int, _ key: Int) {
    if case .pending(let delivery) = nodes[node].slots[key] { close(delivery) }
    nodes[node].slots[key] = slot
    slotWasReplaced(node, key)
  }

  func close(_ delivery: Int) {
    deliveries[delivery] = nil
    arrived[delivery] = nil
  }

  /// Posts the outcome of a delivery to the application. The application applies it at its next
  /// drain.
  private func settle(_ delivery: Int, _ outcome: Slot) {
    guard knownDeliveries.contains(delivery) else { return }
    let isInTime = deliveries[delivery] != nil && arrived[delivery] == nil
    log.append(.delivered(isInTime))
    if isInTime { arrived[delivery] = outcome }
  }

  private func branch(_ policy: Operation.Policy, _ node: Int, _ key: Int) {
    guard case .branch(var branch) = nodes[node].slots[key] else {
      return put(.branch(Branch(policy: policy)), node, key)
    }
    guard branch.policy != policy else { return }
    branch.policy = policy
    nodes[node].slots[key] = .branch(branch)
    if branch.child != nil { slotWasReplaced(node, key) }
  }

  private func withdraw(_ node: Int, _ key: Int, _ unsaved: Operation.Unsaved) {
    if let child = child(node, key), contexts[child].isDirty {
      guard unsaved != .refuse else { return log.append(.refused) }
      contexts[child].isDirty = false
    }
    if nodes[node].slots[key] != nil { put(nil, node, key) }
  }

  /// Returns the child of the branch at a node; nil if there is no branch or it has no child yet.
  private func child(_ node: Int, _ key: Int) -> Int? {
    guard case .branch(let branch) = nodes[node].slots[key] else { return nil }
    return branch.child?.context
  }
}
