import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A restored responder works in a context with the parentage it had")
struct ParentageTests {
  /// Returns a line for each responder: its identifier, and the name and depth of the notebook that
  /// it finds. The line is "none" if the responder finds no notebook.
  private static func parentage(_ world: World) -> [String] {
    ([world.app] + Array(world.app.descendants)).map { responder in
      guard let notebook = responder.context(Notebook.self) else { return "none" }
      var depth = 0
      var node = notebook
      while let parent = node.parent {
        depth += 1
        node = parent
      }
      return "\(responder.restorationIdentifier ?? "app") \(node.name) \(depth)"
    }
  }

  private static func build(_ world: World) throws {
    world.app.launch()
    world.app.provide(Notebook("root"))
    let one = try world.screen("a")
    one.branch(Notebook.self, .keep)
    let two = try world.screen("b", below: one)
    let three = try world.screen("c", below: two)
    three.branch(Notebook.self, .follow)
    let other = try world.screen("d")
    other.block(Notebook.self)
    try world.screen("e", below: other)
  }

  private static func named(_ world: World) -> Restoration {
    // The application retains the restoration, so no factory may retain the application.
    let events = world.events
    return Restoration {
      for name in ["a", "b", "c", "d", "e"] {
        Kind(name) { request in request.existing ?? Screen(events) }
      }
      ContextName("notes", Notebook.self)
    }
  }

  @Test(
    "A child of a child of the root is rebuilt at its depth",
    arguments: Strategy.allCases, [0, 1, 2])
  func depth(strategy: Strategy, readiness: Int) throws {
    let world = World(strategy: strategy)
    try Self.build(world)
    let expected = Self.parentage(world)
    #expect(expected == ["app root 0", "a root 1", "b root 1", "c root 2", "none", "none"])
    let archive = Self.named(world).archive(of: world.app)

    let again = World(strategy: strategy)
    let restoration = Self.named(again)
    if readiness == 0 { again.app.provide(Notebook("root")) }
    let delivery = readiness == 2 ? again.app.expect(Notebook.self) : nil
    again.app.launch(restoring: restoration, from: archive)
    if readiness == 1 { again.app.provide(Notebook("root")) }
    if let delivery {
      delivery.deliver(Notebook("root"))
      again.app.drain()
    }
    #expect(Self.parentage(again) == expected)
    for responder in again.app.descendants {
      guard let found = responder.context(Notebook.self) else { continue }
      if responder.slotSummaries.contains(where: { $0.kind != .value }) {
        #expect(found.parent === responder.nextResponder?.context(Notebook.self))
      }
    }
    #expect(restoration.report.problems == [])
  }

  @Test("A save makes no child of a branch")
  func savesMakeNothing() throws {
    let world = World()
    try Self.build(world)
    let root = try #require(world.app.context(Notebook.self))
    _ = Self.named(world).archive(of: world.app)
    #expect(root.childCount == 0)
  }

  @Test("A child context that was handed down by hand is replayed as a keeping branch")
  func handedDown() throws {
    let world = World()
    let root = Notebook("root")
    world.app.provide(root)
    let a = try world.screen("a")
    let child = root.makeChild()
    a.provide(child)
    let b = try world.screen("b", below: a)
    b.branch(Notebook.self)
    let expected = Self.parentage(world)
    let archive = Self.named(world).archive(of: world.app)
    let again = World()
    let restoration = Self.named(again)
    again.app.provide(Notebook("root"))
    again.app.launch(restoring: restoration, from: archive)
    #expect(Self.parentage(again) == expected)
    #expect(restoration.report.notes.contains { $0.contains("handed down") })
    #expect(
      again.find("a")?.slotSummaries.map(\.kind) == [.branch(.keep)])
  }

  @Test("A value that becomes a child of the inherited context is noticed by a save of changes")
  func handedDownLater() throws {
    let world = World()
    let root = Notebook("root")
    world.app.provide(root)
    let a = try world.screen("a")
    a.provide(Notebook("own"))
    let restoration = Self.named(world)
    world.app.launch(restoring: restoration, from: nil)
    _ = restoration.archive(of: world.app)
    a.provide(root.makeChild())
    let changed = restoration.archive(of: world.app, asksAll: false)
    a.provide(Notebook("own"))
    for (archive, depth) in [(changed, 1), (restoration.archive(of: world.app, asksAll: false), 0)]
    {
      let again = World()
      again.app.provide(Notebook("root"))
      again.app.launch(restoring: Self.named(again), from: archive)
      let found = again.find("a")?.context(Notebook.self)
      #expect((found?.parent == nil ? 0 : 1) == depth)
    }
  }

  @Test(
    "A child that a factory hands down again is no difference",
    arguments: [Restoration.Parentage.nearest, .strict])
  func handedDownByFactory(parentage: Restoration.Parentage) throws {
    let world = World()
    world.app.provide(Notebook("root"))
    let a = try world.screen("a")
    a.provide(try #require(world.app.context(Notebook.self)).makeChild())
    let b = try world.screen("b", below: a)
    b.provide(try #require(a.context(Notebook.self)).makeChild())
    b.zoom = 3
    let archive = Self.named(world).archive(of: world.app)
    let again = World()
    again.app.provide(Notebook("root"))
    let restoration = Restoration {
      for name in ["a", "b"] {
        Kind(name) { [events = again.events] request in
          if let existing = request.existing { return existing }
          let screen = Screen(events)
          let inherited =
            request.parent.context(Notebook.self) ?? request.application.context(Notebook.self)
          if let inherited { screen.provide(inherited.makeChild()) }
          return screen
        }
      }
      ContextName("notes", Notebook.self)
    }
    restoration.parentage = parentage
    again.app.launch(restoring: restoration, from: archive)
    #expect(restoration.report.records.compactMap(\.reason) == [])
    #expect(restoration.report.notes == [])
    #expect(again.find("a", "b")?.zoom == 3)
    let found = try #require(again.find("a", "b")?.context(Notebook.self))
    #expect(found.parent === again.find("a")?.context(Notebook.self))
  }

  @Test("Where one slot differs, strict adds none to a responder that was there")
  func strictAddsNothing() throws {
    enum Other: ContextKey { typealias Value = Notebook }
    func makeRestoration(_ events: Events) -> Restoration {
      let restoration = Restoration {
        Kind("a") { request in request.existing ?? Screen(events) }
        ContextName("a notes", Other.self)
        ContextName("notes", Notebook.self)
      }
      restoration.parentage = .strict
      return restoration
    }
    let world = World()
    let a = try world.screen("a")
    a.branch(Other.self)
    a.branch(Notebook.self)
    let archive = makeRestoration(world.events).archive(of: world.app)
    let again = World()
    let present = try again.screen("a")
    present.block(Notebook.self)
    let restoration = makeRestoration(again.events)
    again.app.launch(restoring: restoration, from: archive)
    #expect(restoration.report.count(.dropped) == 1)
    #expect(present.slotSummaries.map(\.kind) == [.block])
  }

  @Test("Slots that code has declared win, and the report says so")
  func differences() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    for name in ["a", "b", "c", "d"] { try world.screen(name) }
    world.find("a")?.branch(Notebook.self, .follow)
    world.find("b")?.branch(Notebook.self, .follow)
    world.find("c")?.branch(Notebook.self, .follow)
    world.find("d")?.block(Notebook.self)
    let archive = Self.named(world).archive(of: world.app)
    for parentage in [Restoration.Parentage.nearest, .strict] {
      let again = World()
      let restoration = Self.named(again)
      restoration.parentage = parentage
      again.app.provide(Notebook("root"))
      for name in ["a", "b", "c", "d"] { try again.screen(name) }
      again.find("a")?.branch(Notebook.self, .follow)
      again.find("b")?.branch(Notebook.self, .keep)
      again.find("c")?.block(Notebook.self)
      again.find("d")?.provide(Notebook("own"))
      again.app.launch(restoring: restoration, from: archive)
      let reasons = restoration.report.records.filter { $0.reason != nil }
      #expect(reasons.map(\.path) == [["b"], ["c"], ["d"]])
      #expect(
        reasons.map(\.outcome)
          == Array(repeating: parentage == .strict ? .dropped : .restored, count: 3))
    }
  }
}
