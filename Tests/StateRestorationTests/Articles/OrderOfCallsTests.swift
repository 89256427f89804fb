import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The article about the order of calls is true")
struct OrderOfCallsTests {
  private final class ShelfApp: Application, StateRestoring, RestorationFinishing {
    let events: Events

    init(_ events: Events) {
      self.events = events
      super.init()
    }

    override func willFinishLaunching() {
      events.add("willFinishLaunching")
      provide(Notebook("root"))
      provide(Theme("blue"))
    }

    override func didFinishLaunching() { events.add("didFinishLaunching") }
    func encodeRestorableState(with coder: StateEncoder) throws {}

    func decodeRestorableState(with coder: StateDecoder) throws {
      events.add("decode application")
    }

    func didFinishRestoring() { events.add("finished application") }
  }

  /// A controller that logs each call, with its restored values.
  private final class Shelf: Controller, StateRestoring, RestorationFinishing {
    let events: Events
    var size = 1
    @Restorable("page") var page: PageNumber?

    init(_ events: Events, _ identifier: String? = nil) {
      self.events = events
      super.init()
      restorationIdentifier = identifier
      events.add("init")
      watch(Theme.self)
    }

    private func log(_ call: String) {
      events.add("\(call) \(restorationIdentifier ?? "?") \(size) \(page?.page ?? 0)")
    }

    override func didAttach() {
      log("didAttach in \(context(Notebook.self)?.name ?? "nothing"):")
    }

    override func contextDidChange(_ key: any ContextKey.Type) { log("observer:") }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(size, for: "size")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      size = try coder.decode("size") ?? 1
      log("decode:")
    }

    func didFinishRestoring() { log("finished:") }
  }

  private static func restoration(_ events: Events, version: Int) -> Restoration {
    Restoration {
      Kind("outer", version: version) { request in
        events.add("make outer")
        return request.existing ?? Shelf(events)
      }
      .transformed("size", in: 2) { (size: Int) in
        events.add("migrate")
        return size * 10
      }
      Kind("inner") { request in
        events.add("make inner")
        return request.existing ?? Shelf(events)
      }
      ContextName(
        "notes",
        BranchingRegistration<Notebook>(prefetch: { _, _ in
          events.add("prefetch")
          return (nil, [:])
        }))
    }
  }

  @Test("Each phase is complete before the next begins")
  func phases() throws {
    let app = ShelfApp(Events())
    app.launch()
    let outer = Shelf(Events(), "outer")
    outer.branch(Notebook.self)
    try app.append(outer)
    outer.size = 2
    let inner = Shelf(Events(), "inner")
    try outer.append(inner)
    inner.size = 3
    inner.page = PageNumber(notebook: "root", page: 7)
    let events = Events()
    let old = Restoration {
      Kind("outer") { _ in nil }
      ContextName("notes", Notebook.self)
    }
    let archive = old.archive(of: app)
    #expect(old.report.problems == [])

    let again = ShelfApp(events)
    let restoration = Self.restoration(events, version: 2)
    restoration.ask = { _ in
      events.add("ask")
      return .all
    }
    restoration.didDecode = { _ in events.add("told") }
    restoration.onReport = { _ in events.add("report") }
    again.launch(restoring: restoration, from: archive)
    #expect(
      events.lines == [
        "willFinishLaunching", "ask", "migrate", "make outer", "init", "make inner", "init",
        "didAttach in root/1: outer 1 0", "didAttach in root/1: inner 1 0", "prefetch",
        "decode application", "decode: outer 20 0", "decode: inner 3 7",
        "observer: outer 20 0", "observer: inner 3 7", "told", "finished application",
        "finished: outer 20 0", "finished: inner 3 7", "report", "didFinishLaunching",
      ])
  }

  /// A controller that sets one of its five values in each of five calls. Its methods encode and
  /// decode all of the values.
  private final class Setter: Controller, StateRestoring, RestorationFinishing {
    var values = ["", "", "", "", ""]
    private static let keys = ["init", "didAttach", "decode", "observer", "finished"]

    override init() {
      super.init()
      set(0)
      watch(Theme.self)
    }

    private func set(_ index: Int) { values[index] = Self.keys[index] }
    override func didAttach() { set(1) }
    override func contextDidChange(_ key: any ContextKey.Type) { set(3) }

    func encodeRestorableState(with coder: StateEncoder) throws {
      for (key, value) in zip(Self.keys, values) { try coder.encode(value, for: StateKey(key)) }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      values = try Self.keys.map { try coder.decode(StateKey<String>($0)) ?? "" }
      set(2)
    }

    func didFinishRestoring() { set(4) }
  }

  @Test("The archive replaces what is set before decoding, and nothing that is set after it")
  func winners() throws {
    let app = Application()
    let setter = Setter()
    setter.restorationIdentifier = "setter"
    try app.append(setter)
    setter.values = Array(repeating: "archive", count: 5)
    let archive = Restoration {}.archive(of: app)
    let again = Application()
    again.provide(Theme("blue"))
    again.launch(restoring: Restoration { Kind("setter", Setter.init) }, from: archive)
    let restored = try #require(again.children.first as? Setter)
    #expect(restored.values == ["archive", "archive", "decode", "observer", "finished"])
  }

  /// A controller that registers one observer in its init and another one in `didAttach()`.
  private final class Observing: Controller {
    @Restorable("draft") var draft = "default"
    var heard: [String] = []
    private var tokens: [ContextObservation] = []

    override init() {
      super.init()
      observe("init")
    }

    override func didAttach() { observe("didAttach") }

    private func observe(_ place: String) {
      tokens.append(
        observe(Theme.self) { me, theme in
          me.heard.append("\(place) \(theme.value?.ink ?? "-") \(me.draft)")
        })
    }
  }

  @Test("An observer of init finds the restored values, and one of didAttach may not")
  func observers() throws {
    let app = Application()
    let observing = Observing()
    observing.restorationIdentifier = "observing"
    try app.append(observing)
    observing.draft = "archive"
    let archive = Restoration {}.archive(of: app)
    let again = Application()
    again.provide(Theme("blue"))
    again.launch(restoring: Restoration { Kind("observing", Observing.init) }, from: archive)
    let restored = try #require(again.children.first as? Observing)
    #expect(restored.heard == ["init - default", "didAttach blue default", "init blue archive"])
  }

  /// A controller that reads the drafts of its children and of its parent while it is decoded.
  private final class Looking: Controller, StateRestoring {
    @Restorable("draft") var draft = "default"
    var seen: [String] = []

    func encodeRestorableState(with coder: StateEncoder) throws {}

    func decodeRestorableState(with coder: StateDecoder) throws {
      seen.append(draft)
      for case let child as Looking in children {
        seen.append(child.draft)
        child.draft = "set by the parent"
      }
      if let parent = nextResponder as? Looking { seen.append(parent.draft) }
    }
  }

  @Test("A method finds the values of its owner and those above it, and not those below it")
  func neighbours() throws {
    let app = Application()
    let outer = Looking()
    let inner = Looking()
    for (looking, name) in [(outer, "outer"), (inner, "inner")] {
      looking.restorationIdentifier = "looking"
      looking.draft = name
    }
    try app.append(outer)
    try outer.append(inner)
    let archive = Restoration {}.archive(of: app)
    let again = Application()
    again.launch(restoring: Restoration { Kind("looking", Looking.init) }, from: archive)
    let restored = try #require(again.children.first as? Looking)
    let below = try #require(restored.children.first as? Looking)
    #expect(restored.seen == ["outer", "default"])
    #expect(below.seen == ["inner", "outer"])
    #expect(below.draft == "inner")
  }

  @Test(
    "Values wait for a context that is pending, failed, missing or blocked",
    arguments: ["pending", "failed", "missing", "blocked"])
  func stores(_ state: String) throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    let reader = try world.reader(page: 7, mark: 8)
    reader.draft = "half"
    let archive = world.archive

    let again = try World.restored(archive) { world in
      switch state {
      case "pending", "failed":
        let delivery = world.app.expect(Notebook.self)
        guard state == "failed" else { return }
        delivery.fail(Mishap("no disk"))
        world.app.drain()
      case "blocked": world.app.block(Notebook.self)
      default: break
      }
    }
    let restored = try #require(again.app.children.first as? Reader)
    #expect(restored.draft == "half")
    #expect(restored.page == nil && restored.mark == nil && restored.$page.isWaiting)
    #expect(again.restoration.report.count(.waiting) == 1)
    #expect(!again.events.lines.contains("finish reader"))
    let next = again.archive
    again.app.provide(Notebook("root"))
    #expect(restored.page?.page == 7 && restored.mark?.page == 8)
    #expect(again.events.lines.last == "finish reader")
    // The archive that was saved while the values waited restores as much as the first archive.
    let third = try World.restored(next) { $0.app.provide(Notebook("root")) }
    #expect((third.app.children.first as? Reader)?.page?.page == 7)
  }

  @Test("A property sees each edit while it waits, and whenReady only another value")
  func editsWhileWaiting() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    try world.reader(page: 7, mark: 8)
    let again = try World.restored(world.archive) { _ = $0.app.expect(Notebook.self) }
    let restored = try #require(again.app.children.first as? Reader)
    restored.page = nil
    restored.mark = nil
    again.app.provide(Notebook("root"))
    #expect(restored.page == nil)
    #expect(restored.mark?.page == 8)
  }

  @Test("A responder that is attached later is decoded and finished after its didAttach")
  func attachedLater() throws {
    let app = ShelfApp(Events())
    app.launch()
    let outer = Shelf(Events(), "outer")
    try app.append(outer)
    outer.size = 2
    let archive = Restoration {}.archive(of: app)
    let events = Events()
    let again = ShelfApp(events)
    let restoration = Restoration {}
    again.launch(restoring: restoration, from: archive)
    #expect(restoration.report.count(.carried) == 1)
    events.lines = []
    restoration.onReport = { _ in events.add("report") }
    restoration.didDecode = { _ in events.add("told") }
    let later = Shelf(events, "outer")
    try again.append(later)
    #expect(
      events.lines == [
        "init", "didAttach in root: outer 1 0", "decode: outer 2 0", "finished: outer 2 0",
        "report", "observer: outer 2 0",
      ])
  }
}
