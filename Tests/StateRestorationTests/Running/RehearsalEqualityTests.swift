import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A rehearsal equals a save and a launch")
struct RehearsalEqualityTests {
  /// An application that logs its calls.
  private final class Stage: Application, StateRestoring, RestorationFinishing {
    let events: Events
    var theme = "light"

    init(_ events: Events) {
      self.events = events
      super.init()
    }

    override func willFinishLaunching() {
      events.add("will finish launching")
      provide(Notebook("root"))
    }

    override func didFinishLaunching() { events.add("did finish launching") }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(theme, for: "theme")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      events.add("decode application")
      theme = try coder.decode("theme") ?? "light"
    }

    func didFinishRestoring() { events.add("finish application") }
  }

  /// A controller that logs each call, with the context that it finds.
  private final class Actor: Controller, StateRestoring, RestorationFinishing {
    let events: Events
    var number = 0
    var mark: PageNumber?
    @Restorable("text") var text = "initial"
    @Restorable("page") var page: PageNumber?
    @Restorable("other") var other: Actor?

    init(_ events: Events, _ identifier: String? = nil) {
      self.events = events
      super.init()
      restorationIdentifier = identifier
      events.add("init")
      watch(Notebook.self)
    }

    private func log(_ call: String) {
      var names: [String] = []
      var notebook = context(Notebook.self)
      while let next = notebook {
        names.append(next.name)
        notebook = next.parent
      }
      events.add("\(call) \(restorationIdentifier ?? "?") \(number) \(text) \(names)")
    }

    override func didAttach() { log("attach") }
    override func contextDidChange(_ key: any ContextKey.Type) { log("hear") }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(number, for: "number")
      try coder.encode(mark, for: "mark")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      number = try coder.decode("number") ?? 0
      try coder.whenReady("mark", into: \.mark, of: self)
      log("decode")
    }

    func didFinishRestoring() { log("finish") }
  }

  private static let identifiers = ["a", "b", "c"]

  private static func parts(_ events: Events) -> RestorationParts {
    func make(_ request: RestorationRequest) -> Responder {
      events.add("make \(request.path.joined(separator: "/")) below \(request.parent)")
      return request.existing ?? Actor(events)
    }
    @RestorationBuilder var parts: RestorationParts {
      for name in identifiers { Kind(name, version: name == "b" ? 2 : 1, make) }
      Kind("later", .whenAttached, make)
      ContextName("notes", Notebook.self)
    }
    return parts
  }

  private static func listen(to restoration: Restoration, _ events: Events) {
    restoration.didDecode = { _ in events.add("told") }
    restoration.makeResponder = { request in
      events.add("asked for \(request.path.joined(separator: "/"))")
      return request.identifier == "unknown" ? request.existing ?? Actor(events) : nil
    }
  }

  private static func isolated(_ events: Events) -> Restoration {
    let restoration = Restoration { parts(events) }
    listen(to: restoration, events)
    return restoration
  }

  /// Adds random actors below an application.
  private static func build(
    _ app: Application, _ random: inout SplitMix64
  ) throws {
    let events = Events()
    var all: [Responder] = [app]
    var actors: [Actor] = []
    for number in 0..<4 + random.below(14) {
      let actor = Actor(events, random.pick(identifiers + ["unknown", "later"]))
      actor.number = number
      let parent = random.pick(all)
      if let controller = parent as? Controller, random.below(6) == 0, controller.presented == nil {
        try controller.present(actor)
      } else {
        try parent.append(actor)
      }
      switch random.below(6) {
      case 0: actor.branch(Notebook.self)
      case 1: actor.branch(Notebook.self, .keep)
      default: break
      }
      if random.below(2) == 0 { actor.text = "text \(number)" }
      if random.below(3) == 0 { actor.page = PageNumber(notebook: "root", page: number) }
      if random.below(3) == 0 { actor.mark = PageNumber(notebook: "root", page: -number) }
      if let last = actors.last, random.below(4) == 0 { last.other = actor }
      all.append(actor)
      actors.append(actor)
    }
    for actor in all where random.below(8) == 0 {
      if actor !== app { actor.block(Theme.self) }
    }
  }

  /// Returns all values, places and contexts of a tree.
  private static func account(_ app: Application) -> [String] {
    ["\((app as? Stage)?.theme ?? "")"]
      + app.descendants.map { responder in
        guard let actor = responder as? Actor else { return "\(responder)" }
        var names: [String] = []
        var notebook = actor.context(Notebook.self)
        while let next = notebook {
          names.append(next.name)
          notebook = next.parent
        }
        let values = [
          "\(actor.number)", actor.text, "\(actor.page?.page ?? 0)", "\(actor.mark?.page ?? 0)",
          "\(actor.other?.number ?? 0)", "\(actor.other?.nextResponder != nil)",
        ]
        return "\(actor.depth) \(actor.restorationIdentifier ?? "-") \(actor.parentRole as Any) "
          + "\(values) \(names) \(actor.slotSummaries.map(\.kind))"
      }
  }

  /// Removes the references between actors, which could otherwise retain each other.
  private static func part(_ app: Application) {
    for case let actor as Actor in app.descendants { actor.other = nil }
  }

  @Test("In all calls, their order, all values and all contexts")
  func calls() throws {
    for seed in SplitMix64.seeds(rounds(60)) {
      var random = SplitMix64(seed: seed)
      let events = Events()
      let first = Stage(Events())
      let saving = Self.isolated(events)
      first.launch(restoring: saving, from: nil)
      first.theme = "dark"
      try Self.build(first, &random)

      events.lines = []
      let rehearsed = try saving.rehearse(from: first) { Stage(events) }
      let calls = events.lines
      let account = Self.account(rehearsed)

      let realEvents = Events()
      let real = Stage(realEvents)
      let restoration = Self.isolated(realEvents)
      real.launch(restoring: restoration, from: saving.archive(of: first))
      #expect(calls == realEvents.lines, "LINEAGE_SEED=\(seed)")
      #expect(account == Self.account(real), "LINEAGE_SEED=\(seed)")
      #expect(calls.count > 5)
      #expect(rehearsed.phase == real.phase)

      // A second rehearsal of the same application gives the same result.
      let again = Events()
      let next = Self.isolated(again)
      let last = try saving.rehearse(from: first) { Stage(events) }
      #expect(Self.account(last) == account)
      let third = Stage(again)
      third.launch(restoring: next, from: saving.archive(of: first))
      #expect(again.lines == calls)
      for app in [first, rehearsed, real, last, third] { Self.part(app) }
      if calls != realEvents.lines || account != Self.account(real) { return }
    }
  }

  /// Returns the modification time and a hash of the bytes of each file in a folder.
  private static func files(_ folder: URL) throws -> [String: [String]] {
    var files: [String: [String]] = [:]
    for name in try names(in: folder) {
      let url = folder.appending(path: name)
      let date = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate]
      files[name] = ["\(date ?? "")", "\(try Data(contentsOf: url).hashValue)"]
    }
    return files
  }

  @Test("An application with a folder is rehearsed, and its folder is not touched")
  func folder() throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    let events = Events()
    let clock = ManualSaveClock()
    let calls: [String]
    let account: [String]
    do {
      let app = Stage(Events())
      let restoration = Restoration(in: .at(folder), clock: clock) { Self.parts(events) }
      Self.listen(to: restoration, events)
      app.launch(restoring: restoration)
      var random = SplitMix64(seed: 3)
      try Self.build(app, &random)
      try restoration.save()
      // This change is not saved yet.
      app.theme = "dark"
      app.invalidateRestorableState()
      let actor = try #require(app.children.first as? Actor)
      actor.text = "unsaved"
      let files = try Self.files(folder)
      #expect(files.count > 0)

      events.lines = []
      let rehearsed = try restoration.rehearse(from: app) { Stage(events) }
      calls = events.lines
      account = Self.account(rehearsed)
      #expect(account.first == "dark")
      #expect(account.contains { $0.contains("unsaved") })
      #expect(try Self.files(folder) == files)
      // The rehearsed application does not write to the folder either, even if it is terminated.
      (rehearsed.children.first as? Actor)?.text = "rehearsed"
      rehearsed.enterBackground()
      rehearsed.terminate()
      #expect(try Self.files(folder) == files)

      // The change that was not saved yet is saved after its delay.
      clock.advance(by: 0.25)
      app.drain()
      restoration.finishWriting()
      #expect(try Self.files(folder) != files)
      for app in [app, rehearsed] { Self.part(app) }
    }
    let realEvents = Events()
    let real = Stage(realEvents)
    let restoration = Restoration(in: .at(folder), clock: clock) { Self.parts(realEvents) }
    Self.listen(to: restoration, realEvents)
    real.launch(restoring: restoration)
    #expect(realEvents.lines == calls)
    #expect(Self.account(real) == account)
    Self.part(real)
  }
}
