import ResponderChain

/// The steps of the subject that change links.
extension Subject {
  func applyToTree(_ operation: Operation) {
    switch operation {
    case .make(let node): make(node)
    case .drop(let node): handles[node] = nil
    case .insert(let child, let parent, let index):
      insert(child, under: parent, at: index) { try $1.insert($0, at: $2) }
    case .move(let child, let parent, let index):
      insert(child, under: parent, at: index) { try $0.move(to: $1, at: $2) }
    case .reorder(let child, let index):
      with(child) { child in
        guard let parent = child.nextResponder, parent.children.contains(where: { $0 === child })
        else { return }
        try parent.reorder(child, to: min(index, parent.children.count - 1))
        logChildren(of: parent)
      }
    case .remove(let node): with(node) { $0.removeFromParent() }
    case .setRootView(let view, let node):
      let view = view.flatMap { nodes[$0].responder }
      with(node) { setRootView(view, of: $0) }
    case .present(let presented, let node):
      with(node) { presenter in
        guard let presenter = presenter as? Controller,
          let presented = nodes[presented].responder as? Controller
        else { return }
        try presenter.present(presented)
      }
    case .makeFirst(let node): with(node) { try application.makeFirst($0) }
    case .dismiss(let node): with(node) { ($0 as? Controller)?.dismiss() }
    default: preconditionFailure("\(operation) is no step of the tree")
    }
  }

  /// Calls a closure with a responder if it is alive. If the closure throws, this is logged as a
  /// refusal.
  func with(_ node: Int, _ body: (Responder) throws -> Void) {
    guard let responder = nodes[node].responder else { return }
    do { try body(responder) } catch { log.append(.refused) }
  }

  private func insert(
    _ child: Int, under parent: Int, at index: Int,
    _ body: (Responder, Responder, Int) throws -> Void
  ) {
    guard let child = nodes[child].responder else { return }
    with(parent) { parent in
      let others = parent.children.filter { $0 !== child }.count
      try body(child, parent, min(index, others))
      logChildren(of: parent)
    }
  }

  private func setRootView(_ view: Responder?, of controller: Responder) {
    guard let controller = controller as? Controller else { return }
    guard view == nil || view is ViewResponder else { return }
    // The model does nothing if the controller is below the view.
    try? controller.setRootView(view as? ViewResponder)
  }

  private func logChildren(of parent: Responder) {
    log.append(.state("n\(id(parent)) has \(parent.children.map(id))"))
  }
}
