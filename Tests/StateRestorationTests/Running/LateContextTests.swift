import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Values that need a context wait for it")
struct LateContextTests {
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    let reader = try world.reader(page: 7, mark: 8)
    reader.draft = "half"
    let archive = world.archive
    #expect(world.restoration.report.problems == [])
    return archive
  }

  private static func reader(_ world: World) throws -> Reader {
    try #require(world.app.children.first as? Reader)
  }

  @Test("A context that is there already gives all values at once")
  func ready() throws {
    let world = try World.restored(try Self.archive()) { $0.app.provide(Notebook("root")) }
    let reader = try Self.reader(world)
    #expect(reader.mark?.page == 8)
    #expect(reader.page?.page == 7)
    #expect(reader.draft == "half")
    #expect(world.events.lines.suffix(2) == ["finish application", "finish reader"])
  }

  @Test("A context that comes later gives them then, before other observers hear of it")
  func late() throws {
    var reports: [RestorationReport] = []
    var delivery: Delivery<Notebook>?
    let world = try World.restored(try Self.archive()) { world in
      delivery = world.app.expect(Notebook.self)
      world.restoration.onReport = { reports.append($0) }
    }
    let reader = try Self.reader(world)
    #expect(reader.mark == nil)
    #expect(reader.page == nil)
    #expect(reader.$page.isWaiting)
    #expect(reader.draft == "half")
    #expect(!world.events.lines.contains("finish reader"))
    #expect(world.restoration.report.count(.waiting) == 1)
    var heard: [String] = []
    let token = world.app.observe(Notebook.self) { [weak reader] _, _ in
      heard.append("\(reader?.mark?.page ?? 0) \(reader?.page?.page ?? 0)")
      world.events.add("observer")
    }
    let isDelivered = delivery?.deliver(Notebook("root"))
    #expect(isDelivered == true)
    world.app.drain()
    #expect(heard == ["0 0", "8 7"])
    #expect(world.events.lines.suffix(2) == ["observer", "finish reader"])
    #expect(reports.map { $0.count(.waiting) } == [1, 0])
    token.cancel()
  }

  @Test("A property that is set while it waits keeps what it was set to")
  func edits() throws {
    let world = try World.restored(try Self.archive()) { world in
      _ = world.app.expect(Notebook.self)
    }
    let reader = try Self.reader(world)
    reader.page = nil
    reader.mark = PageNumber(notebook: "other", page: 1)
    world.app.provide(Notebook("root"))
    #expect(reader.page == nil)
    #expect(reader.mark?.page == 1)
  }

  @Test("Three launches without the context keep all bytes")
  func carried() throws {
    let first = try Self.archive()
    var archive = first
    for _ in 0..<3 {
      let world = try World.restored(archive) { world in _ = world.app.expect(Notebook.self) }
      #expect(try Self.reader(world).draft == "half")
      archive = world.archive
      #expect(world.restoration.report.problems == [])
    }
    let world = try World.restored(archive) { $0.app.provide(Notebook("root")) }
    let reader = try Self.reader(world)
    #expect(reader.mark?.page == 8)
    #expect(reader.page?.page == 7)
    #expect(archive.count == first.count)
  }

  @Test("A waiting responder that moves below a ready provider is decoded there at once")
  func moves() throws {
    let world = try World.restored(try Self.archive()) { world in
      _ = world.app.expect(Notebook.self)
    }
    let reader = try Self.reader(world)
    let side = try world.screen("screen")
    let root = Notebook("root")
    side.provide(root)
    try reader.move(to: side)
    #expect(reader.mark?.page == 8)
    #expect(world.events.lines.last == "finish reader")
  }

  @Test("So is one that was outside the tree during saves", arguments: 0..<3, [false, true])
  func returns(saves: Int, isReady: Bool) throws {
    let world = try World.restored(try Self.archive()) { world in
      _ = world.app.expect(Notebook.self)
    }
    let reader = try Self.reader(world)
    reader.removeFromParent()
    for _ in 0..<saves { _ = world.archive }
    let side = try world.screen("screen")
    if isReady { side.provide(Notebook("root")) }
    try side.append(reader)
    #expect((reader.mark?.page == 8) == isReady)
    #expect(world.events.lines.count { $0 == "finish reader" } == (isReady ? 1 : 0))
    if !isReady { side.provide(Notebook("root")) }
    #expect(reader.mark?.page == 8 && reader.page?.page == 7)
    #expect(world.events.lines.count { $0 == "finish reader" } == 1)
    let again = try World.restored(world.archive) { $0.app.provide(Notebook("root")) }
    let moved = try #require(again.find("screen")?.children.first as? Reader)
    #expect(moved.mark?.page == 8 && moved.page?.page == 7)
  }

  /// A controller that calls a closure when its late value arrives.
  private final class Eraser: Controller, StateRestoring {
    var onArrival: () -> Void = {}
    var page: PageNumber? { didSet { onArrival() } }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(page, for: "page")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      try coder.whenReady("page", into: \.page, of: self)
    }
  }

  @Test("A value that is erased while others arrive does not arrive")
  func erased() throws {
    func makeRestoration() -> Restoration {
      Restoration {
        Kind("page", Eraser.init)
        ContextName("notes", Notebook.self)
      }
    }
    let app = Application()
    app.provide(Notebook("root"))
    for number in 0..<3 {
      let page = Eraser()
      page.restorationIdentifier = "\(number)"
      page.page = PageNumber(notebook: "root", page: number)
      try app.append(page)
    }
    let archive = makeRestoration().archive(of: app)
    let again = Application()
    let restoration = makeRestoration()
    let delivery = again.expect(Notebook.self)
    again.launch(restoring: restoration, from: archive)
    let pages = again.children.compactMap { $0 as? Eraser }
    pages[0].onArrival = { [unowned restoration] in restoration.erase(at: ["1"]) }
    delivery.deliver(Notebook("root"))
    again.drain()
    #expect(pages.map(\.page?.page) == [0, nil, 2])
  }
}
