import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A kind's factory decides what becomes of a record")
struct FactoryTests {
  /// Returns the archive of screens at the paths a, a/b, a/b/c and d.
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.launch()
    let a = try world.screen("a")
    let b = try world.screen("b", below: a)
    try world.screen("c", below: b)
    try world.screen("d")
    return kinds(world, ["a", "b", "c", "d"]).archive(of: world.app)
  }

  private static func kinds(_ world: World, _ names: [String]) -> Restoration {
    // The application retains the restoration, so no factory may retain the application.
    let events = world.events
    return Restoration {
      for name in names {
        Kind(name) { request in request.existing ?? Screen(events) }
      }
    }
  }

  @Test("A factory's nil removes exactly its subtree, from the next archive as well")
  func veto() throws {
    let world = World()
    let events = world.events
    let restoration = Restoration {
      for name in ["a", "c", "d"] { Kind(name) { _ in Screen(events) } }
      Kind("b") { _ in nil }
    }
    world.app.launch(restoring: restoration, from: try Self.archive())
    #expect(world.find("a")?.children.count == 0)
    #expect(world.find("d") != nil)
    #expect(
      restoration.report.records.map { "\($0.path.joined()) \($0.outcome)" } == [
        " restored", "a restored", "d restored", "ab vetoed", "abc dropped",
      ])
    let again = World()
    let next = Self.kinds(again, ["a", "b", "c", "d"])
    again.app.launch(restoring: next, from: restoration.archive(of: world.app))
    #expect(next.report.records.map(\.path) == [[], ["a"], ["d"]])
  }

  @Test("The application's nil goes on to an existing responder with that path")
  func applicationDeclines() throws {
    let world = World()
    let restoration = Self.kinds(world, ["a", "b", "c"])
    let events = world.events
    restoration.makeResponder = { request in
      events.add("asked \(request.identifier)")
      return nil
    }
    let d = try world.screen("d")
    world.app.launch(restoring: restoration, from: try Self.archive())
    #expect(world.events.lines.contains("asked d"))
    #expect(world.events.lines.contains("finish d"))
    #expect(world.app.children.filter { $0.restorationIdentifier == "d" }.count == 1)
    #expect(world.find("d") === d)
  }

  @Test("A record that nobody makes is kept with its subtree, and its screen gets it when it comes")
  func lateScreen() throws {
    let world = World()
    let restoration = Self.kinds(world, ["a", "c", "d"])
    world.app.launch(restoring: restoration, from: try Self.archive())
    #expect(restoration.report.count(.carried) == 2)
    let kept = restoration.archive(of: world.app)

    // In the same launch.
    let b = Screen(world.events, "b")
    try world.find("a")?.append(b)
    #expect(world.events.lines.contains("finish b"))
    #expect(b.children.map(\.restorationIdentifier) == ["c"])

    // The next launch also restores the record, from the archive that has carried it.
    let again = World()
    let next = Self.kinds(again, ["a", "b", "c", "d"])
    again.app.launch(restoring: next, from: kept)
    #expect(again.find("a", "b", "c") != nil)
    #expect(next.report.count(.restored) == 5)
  }

  @Test("A factory that ignores what is there is refused, and one instance is decoded")
  func ignoresExisting() throws {
    let world = World()
    let a = try world.screen("a")
    a.note = "here"
    let events = world.events
    let restoration = Restoration {
      for name in ["a", "b", "c", "d"] { Kind(name) { _ in Screen(events) } }
    }
    world.app.launch(restoring: restoration, from: try Self.archive())
    #expect(world.find("a") === a)
    #expect(world.app.children.filter { $0.restorationIdentifier == "a" }.count == 1)
    #expect(world.events.lines.contains("finish a"))
    #expect(restoration.report.records[1].reason?.contains("taken") == true)
  }

  @Test("A factory that throws costs itself and what is below it, which is kept")
  func throwing() throws {
    let world = World()
    let events = world.events
    let restoration = Restoration {
      for name in ["a", "c", "d"] { Kind(name) { _ in Screen(events) } }
      Kind("b") { _ in throw Mishap("no luck") }
    }
    world.app.launch(restoring: restoration, from: try Self.archive())
    #expect(restoration.report.count(.restored) == 3)
    #expect(restoration.report.count(.carried) == 2)
    #expect(restoration.report.problems.count == 1)
    let next = Self.kinds(World(), ["a", "b", "c", "d"])
    let again = World()
    again.app.launch(restoring: next, from: restoration.archive(of: world.app))
    #expect(next.report.count(.restored) == 5)
  }

  @Test("A root view or presented controller that is there stays, and the record is kept")
  func occupied() throws {
    let world = World()
    world.app.launch()
    let a = try world.screen("a")
    let view = ViewResponder()
    view.restorationIdentifier = "view"
    try a.setRootView(view)
    let sheet = Screen(world.events, "sheet")
    try a.present(sheet)
    func kinds(_ world: World) -> Restoration {
      let events = world.events
      return Restoration {
        Kind("a") { $0.existing ?? Screen(events) }
        Kind("view", ViewResponder.init)
        Kind("sheet") { $0.existing ?? Screen(events) }
      }
    }
    let archive = kinds(world).archive(of: world.app)

    let free = World()
    let restored = kinds(free)
    free.app.launch(restoring: restored, from: archive)
    #expect(free.find("a")?.rootView?.restorationIdentifier == "view")
    #expect(free.find("a")?.presented?.restorationIdentifier == "sheet")
    #expect(restored.report.count(.restored) == 4)

    let taken = World()
    let other = try taken.screen("a")
    let otherView = ViewResponder()
    try other.setRootView(otherView)
    try other.present(Screen(taken.events, nil))
    let kept = kinds(taken)
    taken.app.launch(restoring: kept, from: archive)
    #expect(other.rootView === otherView)
    #expect(other.presented?.restorationIdentifier == nil)
    #expect(kept.report.count(.carried) == 2)
  }

  @Test("A root view that is there is no place among the children")
  func besideRootView() throws {
    final class Parent: Controller {
      override init() {
        super.init()
        let view = ViewResponder()
        view.restorationIdentifier = "view"
        try? setRootView(view)
        let child = Controller()
        child.restorationIdentifier = "b"
        try? append(child)
      }
    }
    func makeRestoration() -> Restoration {
      Restoration {
        Kind("parent", Parent.init)
        Kind("a") { $0.existing ?? Controller() }
      }
    }
    let app = Application()
    let parent = Parent()
    parent.restorationIdentifier = "parent"
    try app.append(parent)
    let child = Controller()
    child.restorationIdentifier = "a"
    try parent.insert(child, at: 0)
    let again = Application()
    again.launch(restoring: makeRestoration(), from: makeRestoration().archive(of: app))
    let restored = try #require(again.children.first)
    #expect(restored.children.map(\.restorationIdentifier) == ["a", "b"])
  }

  @Test("Created children are inserted at their places among those that are there")
  func places() throws {
    let world = World()
    world.app.launch()
    for name in ["a", "b", "c", "d", "e"] { try world.screen(name) }
    let names = ["a", "b", "c", "d", "e"]
    let archive = Self.kinds(world, names).archive(of: world.app)
    let again = World()
    try again.screen("b")
    try again.screen("x")
    try again.screen("d")
    again.app.launch(restoring: Self.kinds(again, names), from: archive)
    #expect(
      again.app.children.map(\.restorationIdentifier) == ["a", "b", "c", "x", "d", "e"])
  }
}
