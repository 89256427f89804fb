import ResponderChain

extension Launch {
  /// Inserts the new responders into the tree, parents first.
  func link() {
    for parent in nodes.indices where !nodes[parent].below.isEmpty {
      guard let responder = owners[parent].responder else { continue }
      let first = nodes[parent].below.first {
        nodes[$0].header.role == .child && owners[$0].isAlive
          && !owners[$0].isNew && owners[$0].responder?.parentRole == .child
      }
      var place = Placement(responder, before: first.flatMap { owners[$0].responder })
      for index in nodes[parent].below where isStillAlive(index) {
        guard let child = owners[index].responder else { continue }
        if owners[index].isNew {
          link(child, index, under: responder, &place)
        } else {
          place.passed(child)
        }
      }
    }
  }

  private func link(
    _ child: Responder, _ index: Int, under parent: Responder, _ place: inout Placement
  ) {
    if session.opened.take(nodes[index].header.identifier, below: parent) {
      return keep(index, "Code of the app has opened another one meanwhile.")
    }
    session.touched = child
    enter(index)
    defer { session.touched = nil }
    do {
      switch nodes[index].header.role {
      case .rootView:
        guard let controller = parent as? Controller, let view = child as? ViewResponder else {
          return keep(
            index, "\(parent.path) cannot have \(child.debugLabel) as root view.")
        }
        guard controller.rootView == nil else {
          return keep(index, "\(parent.path) has another root view.")
        }
        try controller.setRootView(view)
      case .presented:
        guard let controller = parent as? Controller, let presented = child as? Controller else {
          return keep(index, "\(parent.path) cannot present \(child.debugLabel).")
        }
        guard controller.presented == nil else {
          return keep(index, "\(parent.path) presents another controller.")
        }
        try controller.present(presented)
      case .child, .object, .application: try place.insert(child)
      }
    } catch {
      keep(index, "It was not linked: \(error)")
      session.report.add(problem: "\(child.restorationPath) was not linked: \(error)")
    }
  }
}

/// The position among a parent's children at which the next child is inserted.
private struct Placement {
  private let parent: Responder
  /// The index that the next child gets; nil to insert it after all others.
  private var next: Int?
  /// A sibling that was in the tree already; nil if ``next`` needs no update. The next child is
  /// inserted after this sibling if `isPassed` is true, and before it otherwise. The sibling's
  /// index is looked up only when there is a child to insert.
  private var anchor: (sibling: Responder, isPassed: Bool)?

  /// Makes a place before the given sibling, which is in the tree already. If `sibling` is nil, the
  /// place is behind all children.
  init(_ parent: Responder, before sibling: Responder?) {
    self.parent = parent
    anchor = sibling.map { ($0, false) }
  }

  /// Moves the place behind a sibling that was in the tree already.
  mutating func passed(_ sibling: Responder) {
    guard sibling.parentRole == .child, sibling.nextResponder === parent else { return }
    anchor = (sibling, true)
  }

  /// Sets ``next`` to the place before or after the anchor, if that was not done already.
  private mutating func findAnchor() {
    guard let (sibling, isPassed) = anchor.take(), sibling.parentRole == .child,
      sibling.nextResponder === parent
    else { return }
    let children = parent.children
    let start = min(next ?? 0, children.count)
    // Siblings are usually in the archived order, so this search begins where the last one ended.
    let index =
      children.indices.dropFirst(start).first { children[$0] === sibling }
      ?? children.indices.prefix(start).first { children[$0] === sibling }
    if let index { next = isPassed ? index + 1 : index }
  }

  /// Inserts a child at the place, and moves the place behind that child.
  mutating func insert(_ child: Responder) throws {
    findAnchor()
    let count = parent.children.count
    guard let place = next, place < count else {
      try parent.append(child)
      next = parent.children.count
      return
    }
    try parent.insert(child, at: place)
    next = place + 1
  }
}
