import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Waiting ends with the last responder that can still get its values")
struct WaitingEndTests {
  private static func archive(_ count: Int) throws -> StateArchive {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    for page in 0..<count {
      let holder = try world.screen("screen")
      try world.reader(below: holder, page: page, mark: page)
    }
    let archive = world.archive
    #expect(world.restoration.report.problems == [])
    return archive
  }

  /// Returns a world whose readers wait for a notebook, the delivery of the notebook, and a
  /// function that returns a line for each report.
  private static func waiting(
    _ count: Int
  ) throws -> (World, Delivery<Notebook>, reports: () -> [String]) {
    var reports: [String] = []
    var delivery: Delivery<Notebook>?
    let world = try World.restored(try archive(count)) { world in
      delivery = world.app.expect(Notebook.self)
      world.restoration.onReport = {
        reports.append("\($0.count(.waiting)) waiting, \($0.count(.dropped)) dropped")
      }
    }
    return (world, try #require(delivery), { reports })
  }

  @Test("The last waiting one is released", arguments: [false, true])
  func released(isSaved: Bool) throws {
    let (world, delivery, reports) = try Self.waiting(1)
    #expect(reports() == ["1 waiting, 0 dropped"])
    world.app.children.first?.removeFromParent()
    if isSaved { _ = world.archive }
    #expect(reports().last == "0 waiting, 1 dropped")
    delivery.deliver(Notebook("root"))
    world.app.drain()
    #expect(reports().count == 2)
  }

  @Test("One is released, and the others get their values")
  func others() throws {
    let (world, delivery, reports) = try Self.waiting(3)
    world.app.children.first?.removeFromParent()
    #expect(reports().count == 1)
    delivery.deliver(Notebook("root"))
    world.app.drain()
    #expect(reports() == ["3 waiting, 0 dropped", "0 waiting, 1 dropped"])
    #expect(world.restoration.report.count(.restored) == 6)
  }

  @Test("A detached one that comes back still gets its values")
  func comesBack() throws {
    let (world, delivery, reports) = try Self.waiting(1)
    let holder = try #require(world.app.children.first)
    holder.removeFromParent()
    #expect(reports().last == "0 waiting, 1 dropped")
    try world.app.append(holder)
    delivery.deliver(Notebook("root"))
    world.app.drain()
    let reader = try #require(holder.children.first as? Reader)
    #expect(reader.mark?.page == 0)
    #expect(reader.page?.page == 0)
    #expect(reports().last == "0 waiting, 0 dropped")
    #expect(world.events.lines.last == "finish reader")
  }

  @Test("A move to another parent is no end")
  func moves() throws {
    let (world, _, reports) = try Self.waiting(1)
    let reader = try #require(world.app.children.first?.children.first)
    try reader.move(to: world.app)
    #expect(reports() == ["1 waiting, 0 dropped"])
  }

  @Test("A key that a migration drops makes nothing wait")
  func droppedKey() throws {
    let app = Application()
    _ = app.expect(Notebook.self)
    let events = Events()
    let restoration = Restoration {
      Kind("screen") { $0.existing ?? Screen(events) }
      Kind("reader", version: 2) { $0.existing ?? Reader(events) }
        .dropped("mark", in: 2)
        .dropped("page", in: 2)
      ContextName("notes", Notebook.self)
    }
    app.launch(restoring: restoration, from: try Self.archive(1))
    #expect(restoration.report.count(.waiting) == 0)
    #expect(events.lines.last == "finish reader")
  }

  /// A controller whose decoding provides the context, after its value has begun to wait for it.
  private final class SelfMade: Controller, StateRestoring, RestorationFinishing {
    var mark: PageNumber?
    var isFinished = false

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(mark, for: "mark")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try coder.whenReady("mark", into: \.mark, of: self)
      provide(Notebook("root"))
    }

    func didFinishRestoring() { isFinished = true }
  }

  @Test("A context that is there when the decoding ends gives the values that began to wait")
  func inBetween() throws {
    func restoration() -> Restoration {
      Restoration {
        Kind("it", SelfMade.init)
        ContextName("notes", Notebook.self)
      }
    }
    let app = Application()
    let saved = SelfMade()
    saved.restorationIdentifier = "it"
    saved.provide(Notebook("root"))
    saved.mark = PageNumber(notebook: "root", page: 4)
    try app.append(saved)
    let again = Application()
    let next = restoration()
    again.launch(restoring: next, from: restoration().archive(of: app))
    let restored = try #require(again.children.first as? SelfMade)
    #expect(restored.mark?.page == 4)
    #expect(restored.isFinished)
    #expect(next.report.count(.restored) == 2)
    #expect(next.report.records.allSatisfy { $0.reason == nil })
  }

  @Test("Objects that were fetched in advance are released at the next turn of the main loop")
  func prefetched() throws {
    final class Fetched {}
    final class Watch { weak var fetched: Fetched? }
    let watch = Watch()
    func restoration() -> Restoration {
      Restoration {
        Kind("screen") { $0.existing ?? Screen(Events()) }
        Kind("reader") { $0.existing ?? Reader(Events()) }
        ContextName(
          "notes",
          BranchingRegistration<Notebook>(prefetch: { _, _ in
            let fetched = Fetched()
            watch.fetched = fetched
            return (fetched, [:])
          }))
      }
    }
    let archive = try Self.archive(1)
    for isLate in [false, true] {
      let app = Application()
      let delivery = isLate ? app.expect(Notebook.self) : nil
      if !isLate { app.provide(Notebook("root")) }
      let next = restoration()
      app.launch(restoring: next, from: archive)
      delivery?.deliver(Notebook("root"))
      if isLate { app.drain() }
      #expect(watch.fetched != nil)
      app.drain()
      #expect(watch.fetched == nil)
    }
  }
}
