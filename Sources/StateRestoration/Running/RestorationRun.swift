import ResponderChain

/// The execution of a plan. Each phase is complete before the next begins.
///
/// All loops go over the plan's records, parents first, so nothing recurses over the depth of the
/// tree. A responder that fails in one phase takes no part in the next, nor do those below it.
final class RestorationRun {
  private let engine: Engine
  private let application: Application
  private let plan: RestorationPlan
  /// The owner of each record, by the record's index in the plan.
  private var owners: [PlannedOwner]

  /// The progress of one record.
  private struct PlannedOwner {
    var responder: Responder?
    var object: (any StateRestoring)?
    var progress = Progress.planned
    var isNew = false
  }

  private enum Progress {
    /// Nothing was done yet.
    case planned
    /// There is a responder or object for the record.
    case alive
    /// The record is kept for later.
    case carried
    /// The record is removed.
    case gone
  }

  init(_ engine: Engine, _ application: Application, _ plan: RestorationPlan) {
    self.engine = engine
    self.application = application
    self.plan = plan
    owners = Array(repeating: PlannedOwner(), count: plan.nodes.count)
  }

  /// Restores all records, of which the first is the owner's.
  func run(into root: Responder, mark: Mark, isWanted: Bool) {
    owners[0].responder = root
    owners[0].progress = isWanted ? .alive : .carried
    mark.bind(to: engine, record: plan.nodes[0].id)
    mark.isKept = !isWanted
    engine.setState(plan.nodes[0].id, .live)
    engine.isRestoring = true
    application.batch {
      create()
      replaySlots()
      link()
      decode()
    }
    engine.isRestoring = false
    if plan.nodes[0].parent == nil, root === application { engine.didDecode?(application) }
    finish()
  }

  private func above(_ index: Int) -> Int { plan.nodes[index].parent ?? 0 }

  private func stop(_ index: Int, _ progress: Progress, _ reason: String?) {
    owners[index].progress = progress
    owners[index].responder?.mark?.unbind()
    let outcome: RestorationReport.Outcome = progress == .carried ? .carried : .dropped
    engine.report.set(plan.nodes[index].reportIndex, outcome, reason)
  }
}

// Create.
extension RestorationRun {
  private func create() {
    for parent in plan.nodes.indices where !plan.nodes[parent].below.isEmpty {
      guard owners[parent].progress == .alive, let responder = owners[parent].responder else {
        for index in plan.nodes[parent].below { follow(index, owners[parent].progress) }
        continue
      }
      let present = PresentChildren(responder)
      for index in plan.nodes[parent].below { create(index, under: responder, present) }
    }
  }

  /// Gives a record the fate of the one above it.
  private func follow(_ index: Int, _ progress: Progress) {
    switch progress {
    case .carried, .planned: stop(index, .carried, nil)
    case .gone, .alive: stop(index, .gone, nil)
    }
  }

  private func create(_ index: Int, under parent: Responder, _ present: PresentChildren) {
    let existing = present.find(plan.nodes[index].header.identifier, plan.nodes[index].ordinal)
    switch plan.nodes[index].step {
    case .application: return
    case .carry(let reason): return stop(index, .carried, reason)
    case .drop(let reason): return stop(index, .gone, reason)
    case .object:
      let identifier = plan.nodes[index].header.identifier
      guard let object = engine.object(identifier, under: parent) else {
        return stop(index, .carried, "No object was added under this name.")
      }
      owners[index].object = object.object
      object.mark.bind(to: engine, record: plan.nodes[index].id)
      return alive(index)
    case .whenAttached:
      guard let existing else {
        return stop(index, .carried, "It waits until its screen is opened.")
      }
      return use(existing, for: index, isNew: false)
    case .make, .find: break
    }
    let request = RestorationRequest(
      findPath: { [plan] in plan.path(index) },
      identifier: plan.nodes[index].header.identifier, kind: plan.nodes[index].header.kind,
      version: plan.nodes[index].header.version, parent: parent, existing: existing,
      application: application)
    do {
      try make(index, request)
    } catch {
      stop(index, .carried, "It was not made: \(error)")
      let path = request.path.joined(separator: " › ")
      engine.report.add(problem: "\(path) was not made: \(error)")
    }
  }

  private func make(_ index: Int, _ request: RestorationRequest) throws {
    let existing = request.existing
    if case .make = plan.nodes[index].step, let kind = engine.kinds[plan.nodes[index].kind] {
      if let existing, let type = kind.type, !type.includes(existing) {
        return stop(
          index, .carried,
          "\(existing.path) is there, which is no \(type.name). It was not decoded.")
      }
      guard let made = try kind.responder(for: request) else {
        owners[index].progress = .gone
        return engine.report.set(
          plan.nodes[index].reportIndex, .vetoed, "The kind \(kind.name) refused it.")
      }
      return try check(made, index, request)
    }
    if let made = try engine.makeResponder?(request) { return try check(made, index, request) }
    if let existing { return use(existing, for: index, isNew: false) }
    stop(
      index, .carried,
      request.kind.isEmpty
        ? "No responder is there, and it has no kind."
        : "No responder is there, and the kind \(request.kind) is not registered.")
  }

  /// Takes the responder that a factory has returned.
  private func check(_ made: Responder, _ index: Int, _ request: RestorationRequest) throws {
    if made === request.existing { return use(made, for: index, isNew: false) }
    if let existing = request.existing {
      let note = "The place is taken by \(existing.path), so another one was refused."
      guard type(of: existing) == type(of: made) else { return stop(index, .carried, note) }
      engine.report.set(plan.nodes[index].reportIndex, .restored, note)
      return use(existing, for: index, isNew: false)
    }
    if made is Application || made.nextResponder != nil {
      return stop(index, .carried, "Its factory returned \(made.path), which is in a tree already.")
    }
    if made.mark?.isBound(to: engine) == true {
      return stop(index, .carried, "Its factory returned a responder for the second time.")
    }
    use(made, for: index, isNew: true)
  }

  private func use(_ responder: Responder, for index: Int, isNew: Bool) {
    let identifier = plan.nodes[index].header.identifier
    if responder.mark?.identifier != identifier { responder.restorationIdentifier = identifier }
    guard let mark = responder.mark else { return }
    mark.bind(to: engine, record: plan.nodes[index].id)
    mark.isDecoded = false
    if plan.nodes[index].kind > 0 { mark.kind = plan.nodes[index].kind }
    owners[index].responder = responder
    owners[index].isNew = isNew
    alive(index)
  }

  private func alive(_ index: Int) {
    owners[index].progress = .alive
    engine.setState(plan.nodes[index].id, .live)
  }
}

/// The responders that are below another before its records are restored.
private struct PresentChildren {
  private var found: [String: [Responder]] = [:]

  init(_ parent: Responder) {
    guard parent.ownedCount > 0 else { return }
    parent.forEachOwned { child, _ in
      if let mark = child.mark { found[mark.identifier, default: []].append(child) }
    }
  }

  func find(_ identifier: String, _ ordinal: Int) -> Responder? {
    guard let list = found[identifier], ordinal < list.count else { return nil }
    return list[ordinal]
  }
}

// Slots.
extension RestorationRun {
  private func replaySlots() {
    for index in plan.nodes.indices where isStillAlive(index) {
      guard let responder = owners[index].responder else { continue }
      guard !plan.nodes[index].header.slots.isEmpty else { continue }
      let node = plan.nodes[index]
      let differences = engine.replay(node.header.slots, at: responder)
      guard !differences.isEmpty else { continue }
      let text = differences.joined(separator: " ")
      switch engine.parentage {
      case .nearest: engine.report.set(node.reportIndex, .restored, text)
      case .strict where index == 0: engine.report.note("The application: \(text)")
      case .strict: stop(index, .gone, text)
      }
    }
  }

  /// Returns whether a record's owner takes part in the next phase, as far as those above it do.
  private func isStillAlive(_ index: Int) -> Bool {
    guard owners[index].progress == .alive else { return false }
    if index == 0 { return true }
    let parent = owners[above(index)].progress
    if parent == .alive { return true }
    follow(index, parent)
    return false
  }
}

// Link.
extension RestorationRun {
  private func link() {
    for parent in plan.nodes.indices where !plan.nodes[parent].below.isEmpty {
      guard let responder = owners[parent].responder else { continue }
      let first = plan.nodes[parent].below.first {
        owners[$0].progress == .alive && !owners[$0].isNew && owners[$0].responder != nil
      }
      var place = Placement(responder, before: first.flatMap { owners[$0].responder })
      for index in plan.nodes[parent].below where isStillAlive(index) {
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
    do {
      switch plan.nodes[index].header.role {
      case .rootView:
        guard let controller = parent as? Controller, let view = child as? View else {
          return stop(
            index, .carried, "\(parent.path) cannot have \(child.debugLabel) as root view.")
        }
        guard controller.rootView == nil else {
          return stop(index, .carried, "\(parent.path) has another root view.")
        }
        try controller.setRootView(view)
      case .presented:
        guard let controller = parent as? Controller, let presented = child as? Controller else {
          return stop(index, .carried, "\(parent.path) cannot present \(child.debugLabel).")
        }
        guard controller.presented == nil else {
          return stop(index, .carried, "\(parent.path) presents another controller.")
        }
        try controller.present(presented)
      case .child, .object, .application: try place.insert(child)
      }
    } catch {
      stop(index, .carried, "It was not linked: \(error)")
      engine.report.add(problem: "\(child.restorationPath) was not linked: \(error)")
    }
  }
}

/// The place of the next child that is inserted below one parent.
private struct Placement {
  private let parent: Responder
  /// The index of the next child; nil behind all others.
  private var next: Int?

  /// Makes the place before the first restored sibling that is there already, or behind all.
  init(_ parent: Responder, before sibling: Responder?) {
    self.parent = parent
    guard let sibling, sibling.nextResponder === parent, sibling.parentRole == .child else {
      return
    }
    next = parent.children.firstIndex { $0 === sibling }
  }

  /// Skips a sibling that is there already.
  mutating func passed(_ sibling: Responder) {
    guard sibling.parentRole == .child, sibling.nextResponder === parent else { return }
    let children = parent.children
    let start = next ?? 0
    // Siblings are usually in the archived order, so the search goes on where the last one ended.
    let index =
      children.indices.dropFirst(start).first { children[$0] === sibling }
      ?? children.indices.prefix(start).first { children[$0] === sibling }
    if let index { next = index + 1 }
  }

  /// Inserts a child behind the sibling before it, or as the last one.
  mutating func insert(_ child: Responder) throws {
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

// Decode.
extension RestorationRun {
  private func decode() {
    engine.prefetch(
      plan.nodes.indices.compactMap { index in
        guard owners[index].progress == .alive, !plan.nodes[index].header.needs.isEmpty,
          let responder = owners[index].responder ?? owners[above(index)].responder
        else { return nil }
        return (plan.nodes[index].id, responder)
      })
    for index in plan.nodes.indices where isStillAlive(index) {
      if let object = owners[index].object, let parent = owners[above(index)].responder {
        engine.decode(object, plan.nodes[index], at: parent)
        continue
      }
      guard let responder = owners[index].responder, let mark = responder.mark else { continue }
      // Below a parent that was found to be in the tree, no walk is needed.
      guard
        responder === application || index == 0
          || responder.nextResponder === owners[above(index)].responder
          || responder.application === application
      else {
        stop(index, .gone, "It was removed while others were linked.")
        continue
      }
      mark.isDecoded = true
      let facts = engine.facts(of: responder)
      if !owners[index].isNew {
        for property in facts.properties { property.forget(in: responder) }
      }
      engine.decode(
        facts.hasMethods ? responder as? any StateRestoring : nil, plan.nodes[index],
        at: responder)
    }
    noteCarried()
    for index in plan.nodes.indices where owners[index].progress == .alive {
      guard let responder = owners[index].responder, let mark = responder.mark else { continue }
      engine.checkOwned(of: responder, mark)
    }
    engine.forgetUnchanged()
  }

  /// Notes which records are kept for later, for the saves to come.
  private func noteCarried() {
    let hasRestored = owners.indices.dropFirst().contains { owners[$0].progress == .alive }
    for index in plan.nodes.indices {
      let id = plan.nodes[index].id
      switch owners[index].progress {
      case .alive: continue
      case .planned, .gone: engine.setState(id, .gone)
      case .carried:
        guard let parent = plan.nodes[index].parent else {
          engine.setState(id, .carried)
          continue
        }
        if owners[parent].progress == .gone {
          stop(index, .gone, nil)
        } else if owners[parent].progress == .alive,
          !engine.carry(id, plan.nodes[index].header, plan.path(index), counts: hasRestored)
        {
          stop(index, .gone, "Nothing has restored it for so long.")
        } else {
          engine.setState(id, .carried)
          engine.carried[plan.nodes[parent].id, default: []].append(id)
          continue
        }
        engine.setState(id, .gone)
      }
    }
  }

  private func finish() {
    // All are found before the first is told, because it may save, which changes the numbers.
    let finished = plan.nodes.indices.compactMap { index -> (any RestorationFinishing)? in
      guard owners[index].progress == .alive, engine.waiting[plan.nodes[index].id] == nil else {
        return nil
      }
      let owner: AnyObject? = owners[index].object ?? owners[index].responder
      return owner as? any RestorationFinishing
    }
    for owner in finished { owner.didFinishRestoring() }
  }
}
