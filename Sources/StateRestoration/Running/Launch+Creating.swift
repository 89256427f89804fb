import ResponderChain

extension Launch {
  /// Finds or makes the responders of all records.
  func create() {
    if isDeclined(0) {
      let line = nodes[0].record.line
      if nodes[0].isLeftOut {
        session.report.set(line, .leftOut, "Left out, because launches have ended in it.")
      } else {
        session.report.set(line, .carried, "It was not wanted in this launch.")
      }
    }
    for parent in nodes.indices where !nodes[parent].below.isEmpty {
      guard owners[parent].isAlive, let responder = owners[parent].responder else {
        for index in nodes[parent].below { follow(index, owners[parent].outcome) }
        continue
      }
      let present = PresentChildren(responder)
      for index in nodes[parent].below {
        let identifier = nodes[index].header.identifier
        let existing = present.find(identifier, Int(nodes[index].ordinal))
        let object = session.objects.find(identifier, under: responder)
        create(index, under: responder, existing, object)
        let isObject = nodes[index].header.role == .object
        let isTaken = isObject ? object != nil : existing != nil
        if isTaken, owners[index].outcome?.isKept == true {
          // Another responder or object has taken the place of the carried record.
          nodes[index].record.carry?.isDisplaced = true
        }
      }
    }
  }

  private func create(
    _ index: Int, under parent: Responder, _ existing: Responder?, _ object: AddedObject?
  ) {
    switch nodes[index].step {
    case .first: return
    case .end(let outcome, let reason): return stop(index, outcome, reason)
    case .object:
      guard let object else {
        return keep(index, "No object was added under this name.")
      }
      owners[index].object = object
      object.mark.record = nodes[index].record
      return alive(index)
    case .whenAttached:
      guard let existing else {
        return keep(index, "It waits until its screen is opened.")
      }
      return use(existing, for: index, isNew: false)
    case .make, .find: break
    }
    let request = RestorationRequest(
      records: self, index: index, record: nodes[index].record,
      identifier: nodes[index].header.identifier,
      kind: nodes[index].header.kind,
      version: nodes[index].header.version, parent: parent, existing: existing,
      application: application)
    enter(index)
    do {
      try make(index, request)
    } catch {
      keep(index, "It was not made: \(error)")
      session.report.add(problem: "\(pathLine(index)) was not made: \(error)")
    }
  }

  private func make(_ index: Int, _ request: RestorationRequest) throws {
    let existing = request.existing
    if case .make = nodes[index].step {
      let kind = nodes[index].kind
      if let existing, let type = session.kinds[kind].type, !type.includes(existing) {
        return keep(
          index,
          "\(existing.path) is there, which is no \(type.name). It was not decoded.")
      }
      guard let made = try session.kinds[kind].make(request) else {
        return stop(index, .vetoed, "The kind \(session.kinds[kind].name) refused it.")
      }
      return try check(made, index, request)
    }
    if let made = try session.settings.makeResponder?(request) {
      return try check(made, index, request)
    }
    if let existing { return use(existing, for: index, isNew: false) }
    keep(
      index,
      request.kind.isEmpty
        ? "No responder is there, and it has no kind."
        : "No responder is there, and the kind \(request.kind) is not registered.")
  }

  /// Checks a responder that a factory has returned, and gives it the record if it can be used. If
  /// one of its class has the place already, that one gets the record instead.
  private func check(_ made: Responder, _ index: Int, _ request: RestorationRequest) throws {
    if made === request.existing { return use(made, for: index, isNew: false) }
    if let existing = request.existing {
      let note = "The place is taken by \(existing.path), so another one was refused."
      guard type(of: existing) == type(of: made) else { return keep(index, note) }
      session.report.set(nodes[index].record.line, .restored, note)
      return use(existing, for: index, isNew: false)
    }
    if made is Application || made.nextResponder != nil {
      return keep(index, "Its factory returned \(made.path), which is in a tree already.")
    }
    if made.mark?.record(in: nodes[0].record.home) != nil {
      return keep(index, "Its factory returned a responder for the second time.")
    }
    use(made, for: index, isNew: true)
  }

  /// Gives a responder the record with the given index in the plan.
  private func use(_ responder: Responder, for index: Int, isNew: Bool) {
    let mark = responder.takePart(as: nodes[index].header.identifier)
    mark.restore(nodes[index].record)
    mark.isDecoded = false
    // A responder that was there already may have changes that the record lacks.
    if !isNew { mark.isPartChanged = true }
    if nodes[index].kind > 0 { mark.setKind(ofFactory: nodes[index].kind) }
    owners[index].responder = responder
    owners[index].isNew = isNew
    bind(index, responder)
    alive(index)
  }

  private func alive(_ index: Int) {
    owners[index].outcome = .restored
    nodes[index].record.state = .live
    nodes[index].record.carry = nil
  }
}

/// The responders that are below a parent before the records below that parent are restored. They
/// can be looked up by their identifiers.
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
