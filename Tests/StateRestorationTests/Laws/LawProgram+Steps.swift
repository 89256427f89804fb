import LineageTestSupport
import ResponderChain
import StateRestoration

extension LawProgram {
  /// Returns whether a step can add a responder below a parent.
  private func mayCome(_ model: LawModel, below parent: LawModel) -> Bool {
    let isCarried = parent.carried.contains { $0.record.identifier == model.identifier }
    return !isCarried && (parent.parent == nil || parent.isAttached)
      && (!model.all.contains(where: \.hasPages) || !parent.isBlocked)
  }

  mutating func insert() throws {
    guard let parent = pick() else { return }
    let isPane = random.below(4) == 0
    let lawClass = isPane ? LawClass.pane : random.pick([.screen, .screen, .detail])
    var identifier: String? = isPane ? "v" : random.pick(Self.identifiers)
    if random.below(10) == 0 { identifier = nil }
    let kept = parent.carried.first { $0.record.identifier == identifier }
    if let kept {
      // The documentation is clear only about a record that waits for its responder.
      let isKnown = world.registry.kind(kept.record.kind) != nil && kept.record.kind != "W"
      let hasOne =
        parent.isOrdered
        || parent.carried.filter { $0.record.identifier == identifier }.count == 1
      if isKnown || kept.record.role != .child || !hasOne || !parent.takesPart { return }
      if kept.isDisplaced { return }
      if parent.isBlocked, kept.record.hasPages { return }
    }
    let model = world.addReal(lawClass, identifier)
    model.state.zoom = random.below(5)
    model.node?.zoom = model.state.zoom
    if random.below(2) == 0 {
      model.state.text = "t\(random.below(3))"
      model.node?.text = model.state.text
      model.base = model.state
    }
    if identifier != nil, kept == nil {
      switch random.below(6) {
      case 0 where !isPane:
        if let name = world.registry.name { model.namedKind = name }
      case 1 where !isPane: if world.registry.hasWaiting { model.namedKind = "W" }
      case 2 where !isPane: model.namedKind = "U"
      default: break
      }
      if let kind = model.namedKind { model.node?.restorationKind = kind }
    }
    if random.below(4) == 0, kept == nil {
      let below = world.addReal(.screen, random.pick(Self.identifiers))
      try world.link(below, model)
    }
    let index = random.below(parent.children.count + 1)
    log(
      "insert \(model.line) \(model.lawClass as Any) \(model.namedKind ?? "") at \(index) below \(world.path(parent))"
    )
    world.isFresh = false
    if let kept {
      // The carried records that came after this one now come after its responder.
      var isBehind = false
      parent.carried = parent.carried.compactMap { one in
        if one.record === kept.record {
          isBehind = true
          return nil
        }
        let follows = isBehind && one.behind === kept.behind
        return follows
          ? .init(record: one.record, behind: model, isDisplaced: one.isDisplaced) : one
      }
      try world.link(model, parent, at: index)
      log("  which has a kept record of the kind \(kept.record.kind)")
      world.restore(kept.record, model)
      try world.bind(model)
      world.finishWork()
    } else {
      try world.link(model, parent, at: index)
    }
  }

  mutating func set() {
    guard let model = pick() else { return }
    guard let node = model.node else {
      model.state.zoom = random.below(5)
      world.app.zoom = model.state.zoom
      world.app.invalidateRestorableState()
      return log("zoom of the application = \(model.state.zoom)")
    }
    switch random.below(8) {
    case 0, 1:
      model.state.text = random.pick(["d", "t0", "t1", "t2"])
      node.text = model.state.text
      model.unread.remove("text")
      log("text of \(model.line) = \(model.state.text)")
    case 2:
      model.state.number = random.pick([nil, 0, 1])
      node.number = model.state.number
      model.unread.remove("number")
      log("number of \(model.line) = \(model.state.number as Any)")
    case 3:
      model.state.zoom = random.below(5)
      node.zoom = model.state.zoom
      node.invalidateRestorableState()
      log("zoom of \(model.line) = \(model.state.zoom)")
    case 4, 5: setBookmark(of: model, node)
    default:
      let page = drawPage(for: model)
      let value = page.map { PageNumber(notebook: "root", page: $0) }
      if random.below(2) == 0 {
        log("page of \(model.line) = \(page as Any)")
        if model.heldPage.take() != nil, !model.isWaiting { model.finishes = nil }
        model.state.page = page
        node.page = value
        model.unread.remove("page")
      } else if model.heldMark == nil {
        log("mark of \(model.line) = \(page as Any)")
        model.state.mark = page
        node.mark = value
        node.invalidateRestorableState()
      }
    }
  }

  /// Draws a page that the responder can archive; nil if there is none.
  private mutating func drawPage(for model: LawModel) -> Int? {
    let isThere = world.isReady && !model.isBlocked
    return isThere && random.below(3) != 0 ? random.below(3) : nil
  }

  /// Sets one of the two bookmarks of a responder.
  private mutating func setBookmark(of model: LawModel, _ node: any LawNode) {
    let place = LawPlace(number: random.below(4), page: drawPage(for: model))
    if random.below(2) == 0 {
      log("place of \(model.line) = \(place)")
      if model.heldPlace.take() != nil, !model.isWaiting { model.finishes = nil }
      model.state.place = place
      node.place = place.bookmark
      model.unread.remove("place")
    } else if model.heldSpot == nil {
      log("spot of \(model.line) = \(place)")
      model.state.spot = place
      node.spot = place.bookmark
      node.invalidateRestorableState()
    }
  }

  mutating func move() throws {
    guard let model = pick({ $0.role == .child && $0.parent != nil }),
      let parent = pick(), !model.all.contains(where: { $0 === parent }),
      mayCome(model, below: parent), parent !== model.parent, let real = model.real,
      let target = parent.real
    else { return }
    let index = random.below(parent.children.count + 1)
    log("move \(model.line) to \(index) below \(world.path(parent))")
    world.isFresh = false
    try real.move(to: target, at: index)
    model.remove()
    parent.add(model, as: .child, at: index)
    world.finishWork()
  }

  mutating func detach() {
    guard let model = pick({ $0.parent != nil }) else { return }
    log("detach \(model.line)")
    world.isFresh = false
    model.readPages()
    model.real?.removeFromParent()
    model.remove()
    if model.all.allSatisfy({ $0.carried.isEmpty && !$0.isWaiting }) {
      world.detached.append(model)
    }
  }

  mutating func attach() throws {
    guard !world.detached.isEmpty, let parent = pick() else { return }
    let model = random.pick(world.detached)
    guard mayCome(model, below: parent) else { return }
    log("attach \(model.line) below \(world.path(parent))")
    world.detached.removeAll { $0 === model }
    world.isFresh = false
    try world.link(model, parent)
  }

  mutating func reorder() throws {
    guard let parent = pick({ $0.children.count > 1 }), let real = parent.real else { return }
    let model = random.pick(parent.children)
    let index = random.below(parent.children.count)
    guard let child = model.real else { return }
    log("reorder \(model.line) to \(index)")
    try real.reorder(child, to: index)
    let role = model.role
    parent.owned.removeAll { $0 === model }
    parent.add(model, as: role, at: index)
  }

  mutating func rename() throws {
    // It is not documented whether a late value still arrives after a change of the identifier.
    guard let model = pick({ $0.parent != nil && !$0.isWaiting }), model.carried.isEmpty,
      !model.fails,
      let node = model.node
    else { return }
    let name: String? =
      model.lawClass == .pane ? "v" : random.pick([nil, "a", "b", "c", "", "é"])
    guard model.parent?.carried.allSatisfy({ $0.record.identifier != name }) == true else { return }
    if name == nil, model.all.contains(where: { !$0.carried.isEmpty || $0.isWaiting }) { return }
    log("identifier of \(model.line) = \(name ?? "nil")")
    node.restorationIdentifier = name
    guard name != model.identifier else { return }
    model.identifier = name
    guard name == nil else { return }
    // Without an identifier, the responder loses the archived values and the kind.
    if model.unread.contains("text") { model.state.text = model.base.text }
    if model.unread.contains("number") { model.state.number = model.base.number }
    if model.unread.contains("page") { model.state.page = nil }
    if model.unread.contains("place") { model.state.place = LawPlace() }
    if model.parent?.carried.contains(where: { $0.behind === model }) == true {
      model.parent?.isOrdered = false
    }
    model.namedKind = nil
    model.madeKind = nil
    model.saved = nil
    model.unread = []
    try world.compare(isFull: true)
    // The record omits properties that were never set, so all are set here.
    node.text = model.state.text
    node.number = model.state.number
    node.page = node.page
    node.place = node.place
  }

  mutating func changeSlot() throws {
    guard let model = pick({ $0.parent != nil && !$0.fails }), let real = model.real else { return }
    world.isFresh = false
    model.slot = nil
    switch random.below(6) {
    case 0, 1: real.branch(Notebook.self, .follow)
    case 2, 3: real.branch(Notebook.self, .keep)
    case 4:
      if model.all.contains(where: \.hasPages) {
        try real.withdraw(Notebook.self)
      } else {
        real.block(Notebook.self)
      }
    default:
      if let above = real.nextResponder?.context(Notebook.self) {
        real.provide(above.makeChild())
      } else {
        try real.withdraw(Notebook.self)
      }
    }
    log("slot of \(model.line) = \(world.slot(model))")
    world.finishWork()
  }
}

extension LawModel {
  /// A short text with the responder's identifier and tag.
  var line: String { "\(identifier ?? "nil")#\(state.tag)" }

  /// Whether values of the responder or of its carried records need the notebook.
  var hasPages: Bool {
    isWaiting || state.hasPages || unread.contains("page")
      || carried.contains { $0.record.hasPages }
  }

  /// Reads the pages of a subtree before the subtree loses the notebook. Unread pages would then
  /// wait for the notebook.
  func readPages() {
    for below in all where !below.isWaiting {
      if below.unread.remove("page") != nil { _ = below.node?.page }
      if below.unread.remove("place") != nil { _ = below.node?.place }
    }
  }

  /// Whether a block hides the notebook from the responder.
  var isBlocked: Bool { if case .blocked? = real?.resolve(Notebook.self) { true } else { false } }

  /// Whether the responder is in the tree of an application.
  var isAttached: Bool { real?.application != nil }
}

extension LawRecord {
  /// Whether values of the record, or of one below it, need the notebook.
  var hasPages: Bool {
    state?.hasPages == true || children.contains(where: \.hasPages)
  }
}

extension LawState {
  /// Whether values need the notebook.
  var hasPages: Bool { page != nil || mark != nil || place.page != nil || spot.page != nil }
}
