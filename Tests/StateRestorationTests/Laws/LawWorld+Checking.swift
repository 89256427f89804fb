import LineageTestSupport
import ResponderChain
import StateRestoration

extension LawWorld {
  /// Checks the callbacks of the launch. Each restored responder gets each callback once, the
  /// phases do not mix, and parents are linked and decoded before their children.
  func checkEvents() throws {
    let all = events.all
    events.isRecording = false
    let phases = all.map(\.phase.rawValue)
    guard phases == phases.sorted() else { throw LawFailure("phases are mixed: \(phases)") }
    let models = root.all
    func expect(_ phase: LawEvents.Phase, _ expected: [LawModel]) throws {
      let found = all.filter { $0.phase == phase }.map(\.node)
      let wanted = expected.compactMap { $0.real.map { ObjectIdentifier($0) } }
      guard found.count == wanted.count, Set(found) == Set(wanted) else {
        throw LawFailure(
          "\(phase): \(found.count) callbacks for \(expected.map { path($0) + ($0.wasMade ? " made" : "") })\n\(restoration.report)\n\(launch)"
        )
      }
      guard phase == .link || phase == .decode else { return }
      let order = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1, $0) })
      for model in expected {
        guard let real = model.real, let above = model.parent?.real,
          let one = order[ObjectIdentifier(real)], let other = order[ObjectIdentifier(above)]
        else { continue }
        if one < other { throw LawFailure("\(phase): \(path(model)) comes before its parent") }
      }
    }
    let restored = models.filter(\.isRestored)
    try expect(.make, models.filter(\.wasMade))
    try expect(.link, models.filter(\.wasMade))
    try expect(.decode, restored)
    try expect(.finish, restored.filter { !$0.isWaiting || findsNotebook($0) })
  }

  private func findsNotebook(_ model: LawModel) -> Bool {
    if case .value? = model.real?.resolve(Notebook.self) { true } else { false }
  }

  /// Checks that the report has the expected outcome of each record.
  func checkReport(_ record: LawRecord) throws {
    let restored = root.all.filter(\.isRestored).map {
      "\(path($0)) \($0.isWaiting && !findsNotebook($0) ? "waiting" : "restored")"
    }
    let expected = (outcomes + restored).sorted()
    let found = restoration.report.records.map { entry in
      entry.path.map { "|\($0)" }.joined() + " \(entry.outcome)"
    }.sorted()
    guard found == expected, found.count == record.count else {
      throw LawFailure("the report has \(found), expected \(expected)")
    }
    guard restoration.report.archive.fault == nil, restoration.report.archive.damaged == 0 else {
      throw LawFailure("\(restoration.report.archive)")
    }
  }

  /// Compares the tree and its values with the oracle. Restorable properties are read and compared
  /// only if `isFull` is true.
  func compare(isFull: Bool) throws {
    for model in root.all {
      var found: [ObjectIdentifier] = []
      model.real?.forEachOwned { one, _ in found.append(ObjectIdentifier(one)) }
      guard found == model.owned.compactMap({ $0.real.map { ObjectIdentifier($0) } }) else {
        throw LawFailure("other responders are below \"\(path(model))\": \(found.count)")
      }
    }
    if app.zoom != root.state.zoom || app.finishes != root.finishes {
      throw LawFailure("application: \(app.zoom) \(app.finishes), expected \(root.state.zoom)")
    }
    for model in root.all + detached.flatMap(\.all) {
      guard let node = model.node else { continue }
      var found = LawState(
        tag: node.tag, zoom: node.zoom, mark: node.mark?.page, spot: LawPlace(node.spot))
      if isFull {
        found = node.state
        if node.pageWaits != (model.heldPage != nil) {
          throw LawFailure("\(path(model)): waits is \(node.pageWaits)")
        }
        if node.placeWaits != (model.heldPlace != nil) {
          throw LawFailure("\(path(model)): the bookmark waits is \(node.placeWaits)")
        }
        model.unread = []
      } else {
        (found.text, found.number, found.page, found.place) =
          (model.state.text, model.state.number, model.state.page, model.state.place)
      }
      guard found == model.state else {
        throw LawFailure("\(path(model)) has \(found), expected \(model.state)")
      }
      if let finishes = model.finishes, node.finishes != finishes {
        throw LawFailure("\(path(model)) was finished \(node.finishes) times, not \(finishes)")
      }
      if let slot = model.slot, slot != self.slot(model) {
        throw LawFailure("\(path(model)) has the slot \(self.slot(model)), not \(slot)")
      }
    }
  }

  /// Returns the kind of a responder's slot for the notebook, as archives record it.
  func slot(_ model: LawModel) -> LawSlot {
    guard let real = model.real,
      let kind = real.slotSummaries.first(where: { $0.key == Notebook.self })?.kind
    else { return .none }
    switch kind {
    case .branch(.follow): return .follow
    case .branch(.keep): return .keep
    case .block: return .block
    default:
      let above = real.nextResponder?.context(Notebook.self)
      let own = real.context(Notebook.self)
      return above != nil && own?.parent === above ? .handed : .value
    }
  }

  /// Checks the depth and the parent of the context that each responder finds. Does nothing if
  /// slots or links have changed since the launch, because a branch may then keep the child of
  /// another context.
  func checkContexts() throws {
    guard isFresh else { return }
    var depths: [ObjectIdentifier: Int] = [:]
    for model in root.all {
      guard let real = model.real else { continue }
      let found = real.context(Notebook.self)
      let above = model.parent?.real
      let inherited = above.map { depths[ObjectIdentifier($0)] ?? -1 } ?? (isReady ? 0 : -1)
      var depth = inherited
      switch model.slot ?? LawSlot.none {
      case .follow, .keep, .handed: if inherited >= 0 { depth += 1 }
      case .block: depth = -1
      default: break
      }
      depths[ObjectIdentifier(real)] = depth
      guard (found?.depth ?? -1) == depth, found == nil || found?.root.name == "root" else {
        throw LawFailure("\(path(model)) finds \(found as Any), expected the depth \(depth)")
      }
      guard let found, let above else { continue }
      let parent = above.context(Notebook.self)
      guard depth > inherited ? found.parent === parent : found === parent else {
        throw LawFailure("\(path(model)) finds \(found) below \(parent as Any)")
      }
    }
  }

  /// Returns the records that a save writes according to the documentation.
  func snapshot() -> LawRecord { snapshot(root) }

  private func snapshot(_ model: LawModel) -> LawRecord {
    let record = LawRecord()
    record.identifier = model.identifier ?? ""
    record.role = model.role
    record.isOrdered = model.isOrdered
    if model.lawClass != nil {
      if !model.fails { model.savedKind = registry.kind(of: model) }
      record.kind = model.savedKind
      record.version = registry.version(of: record.kind)
      record.slot = slot(model)
    }
    if !model.fails {
      model.saved = model.state
      model.saved?.page = model.heldPage ?? model.state.page
      model.saved?.mark = model.heldMark ?? model.state.mark
      model.saved?.place.page = model.heldPlace ?? model.state.place.page
      model.saved?.spot.page = model.heldSpot ?? model.state.spot.page
    }
    record.state = model.saved
    let owned = model.owned.filter { $0.identifier != nil }
    func carry(_ behind: LawModel?) {
      record.children += model.carried.filter { $0.behind === behind }.map(\.kept)
    }
    carry(nil)
    for child in owned {
      record.children.append(snapshot(child))
      carry(child)
    }
    for one in model.carried
    where one.behind != nil && !owned.contains(where: { $0 === one.behind }) {
      record.children.append(one.kept)
      record.isOrdered = false
    }
    return record
  }
}

extension Notebook {
  /// The number of the notebook's ancestors.
  fileprivate var depth: Int {
    var depth = 0
    var node = self
    while let parent = node.parent {
      depth += 1
      node = parent
    }
    return depth
  }
}
