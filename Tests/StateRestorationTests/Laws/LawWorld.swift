import LineageTestSupport
import ResponderChain
import StateRestoration

/// A difference between the library and the oracle.
struct LawFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The circumstances of one launch.
struct LawLaunch {
  /// The time at which the notebook becomes available, if it ever does.
  enum Moment: CaseIterable { case before, during, pending, missing, failed }

  var registry = LawRegistry()
  var moment = Moment.before
  var strategy = Strategy.skipping
  /// The seed for the responders that are in the tree before the launch; nil if there are none.
  var present: UInt64?
}

/// One process: an application, its restoration, and the state that the oracle expects.
final class LawWorld {
  let launch: LawLaunch
  let events = LawEvents()
  let app: LawApplication
  let restoration: Restoration
  let root = LawModel(nil)
  var detached: [LawModel] = []
  var delivery: Delivery<Notebook>?
  var isReady: Bool
  /// Whether the program has changed no slot and no link since the launch.
  var isFresh = true
  var outcomes: [String] = []
  var lastTag: Int

  var registry: LawRegistry { launch.registry }

  /// Launches an application with an archive, and compares it with the oracle. `record` is the root
  /// of the records that the oracle expects in the archive.
  init(_ archive: StateArchive?, _ record: LawRecord?, _ launch: LawLaunch, tags: Int) throws {
    self.launch = launch
    lastTag = tags
    app = LawApplication(events, launch.strategy)
    restoration = Self.makeRestoration(launch.registry, events)
    restoration.limits.carriedLaunches = 10_000
    isReady = launch.moment == .before || launch.moment == .during
    root.real = app
    let notebook = Notebook("root")
    switch launch.moment {
    case .before: app.provide(notebook)
    case .during: restoration.didDecode = { $0.provide(notebook) }
    case .pending: delivery = app.expect(Notebook.self)
    case .missing: break
    case .failed:
      app.expect(Notebook.self).fail(Mishap("no store"))
      app.drain()
    }
    if let record, let seed = launch.present {
      var random = SplitMix64(seed: seed)
      try addPresent(record, root, &random)
    }
    events.all = []
    app.launch(restoring: restoration, from: archive)
    guard let record else { return }
    restore(record, root)
    try bind(root)
    try checkEvents()
    try checkReport(record)
    finishWork()
    try compare(isFull: false)
    try checkContexts()
  }

  private static func makeRestoration(_ registry: LawRegistry, _ events: LawEvents) -> Restoration {
    func made(_ lawClass: LawClass) -> any LawNode {
      let made = lawClass.make(events)
      events.add(.make, made)
      return made
    }
    let restoration = Restoration {
      if let name = registry.name {
        let kind = Kind(name, version: registry.version) { request in
          if request.identifier == registry.vetoed { return nil }
          if request.identifier == registry.throwing { throw Mishap("no luck") }
          return request.existing ?? made(.screen)
        }
        let renamed = name == "A2" ? kind.formerly("A") : kind
        registry.version > 1
          ? renamed.transformed("zoom", in: 2) { (old: Int) in old + 100 } : renamed
      }
      if registry.hasClasses {
        Kind("N") { () -> LawScreen in made(.screen) as? LawScreen ?? LawScreen(events) }
        Kind("B") { () -> LawDetail in made(.detail) as? LawDetail ?? LawDetail(events) }
      }
      if registry.hasPane {
        Kind("pane") { () -> LawPane in made(.pane) as? LawPane ?? LawPane(events) }
      }
      if registry.hasWaiting {
        Kind("W", .whenAttached) { request in request.existing ?? made(.screen) }
      }
      if registry.hasRare { Kind("U") { request in request.existing ?? made(.screen) } }
      Kind("c") { request in request.existing ?? made(.screen) }
      ContextName("notes", Notebook.self)
    }
    if registry.makesUnknown {
      restoration.makeResponder = { request in
        request.existing ?? made(request.identifier.hasPrefix("v") ? .pane : .screen)
      }
    }
    return restoration
  }

  /// Returns a tag that no other responder has.
  func nextTag() -> Int {
    lastTag += 1
    return lastTag
  }

  /// Adds random responders to the tree before the launch. Some have records, and some do not.
  private func addPresent(
    _ record: LawRecord, _ parent: LawModel, _ random: inout SplitMix64
  ) throws {
    let identifiers = record.children.map(\.identifier)
    guard record.isOrdered || Set(identifiers).count == identifiers.count else { return }
    var skipped: Set<String> = []
    for child in record.children {
      guard child.role == .child, random.below(3) == 0, !skipped.contains(child.identifier) else {
        skipped.insert(child.identifier)
        continue
      }
      if record.children.contains(where: {
        $0.role != .child && $0.identifier == child.identifier
      }) {
        continue
      }
      var lawClass = child.identifier.hasPrefix("v") ? LawClass.pane : .screen
      if case .made(let made) = registry.fate(child, existing: nil) { lawClass = made }
      let model = addReal(lawClass, child.identifier)
      model.state.text = "preset"
      model.state.number = 77
      model.node?.text = "preset"
      model.node?.number = 77
      model.base = model.state
      if random.below(4) == 0, child.slot == .follow || child.slot == .keep {
        let policy = random.below(2) == 0 ? BranchPolicy.follow : .keep
        model.real?.branch(Notebook.self, policy)
        model.slot = policy == .follow ? .follow : .keep
      }
      try link(model, parent)
      try addPresent(child, model, &random)
    }
    if random.below(4) == 0 {
      let model = addReal(.screen, random.below(2) == 0 ? nil : "other")
      try link(model, parent, at: random.below(parent.children.count + 1))
    }
  }

  /// Creates a responder without a parent, and returns its model.
  func addReal(_ lawClass: LawClass, _ identifier: String?) -> LawModel {
    let model = LawModel(lawClass)
    let real = lawClass.make(events)
    model.real = real
    model.identifier = identifier
    model.state.tag = nextTag()
    real.tag = model.state.tag
    real.restorationIdentifier = identifier
    // The record omits properties that were never set, so all are set here.
    real.text = "d"
    real.number = nil
    real.page = nil
    real.place = Bookmark()
    model.slot = LawSlot.none
    return model
  }

  /// Inserts a responder as a child, in the real tree and in the oracle.
  func link(_ model: LawModel, _ parent: LawModel, at index: Int? = nil) throws {
    guard let real = model.real, let parentReal = parent.real else { return }
    if let index {
      try parentReal.insert(real, at: index)
    } else {
      try parentReal.append(real)
    }
    parent.add(model, as: .child, at: index)
  }
}
