import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Factories and messages get whole paths, also for a screen that is opened later")
struct LatePathTests {
  /// Returns the archive of a chain of screens a, b, c and d. The screen c has a branch, and d
  /// provides a child of the context that it inherits.
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch()
    var parent: Responder = world.app
    for name in ["a", "b", "c", "d"] {
      let screen = try world.screen(name, below: parent)
      if name == "c" { screen.branch(Notebook.self) }
      if name == "d", let notebook = screen.context(Notebook.self) {
        screen.provide(notebook.makeChild())
      }
      parent = screen
    }
    return restoration(world.events, ["a", "b", "c", "d"]).archive(of: world.app)
  }

  private static func restoration(
    _ events: Events, _ names: [String], fails: Bool = false, hasContexts: Bool = true
  ) -> Restoration {
    Restoration {
      for name in names {
        Kind(name) { request in
          events.add("\(request.identifier) at \(request.path.joined(separator: "/"))")
          if fails, name == "d" { throw Mishap("no luck") }
          return request.existing ?? Screen(events)
        }
      }
      if hasContexts { ContextName("notes", Notebook.self) }
    }
  }

  @Test("In the launch, and when a screen in the middle is opened", arguments: [false, true])
  func paths(isLate: Bool) throws {
    let world = World()
    let restoration = Self.restoration(
      world.events, isLate ? ["a", "c", "d"] : ["a", "b", "c", "d"])
    world.app.provide(Notebook("root"))
    world.app.launch(restoring: restoration, from: try Self.archive())
    if isLate { try world.screen("b", below: world.find("a")) }
    let made = world.events.lines.filter { $0.contains(" at ") }
    let second = isLate ? [] : ["b at a/b"]
    #expect(made == ["a at a"] + second + ["c at a/b/c", "d at a/b/c/d"])
    #expect(restoration.report.count(.restored) == 5)
    #expect(restoration.report.notes == ["a › b › c › d: notes was handed down."])
  }

  @Test("A factory that throws and a slot without a name are told with the path")
  func messages() throws {
    for isLate in [false, true] {
      let world = World()
      let names = isLate ? ["a", "c", "d"] : ["a", "b", "c", "d"]
      let restoration = Self.restoration(world.events, names, fails: true, hasContexts: false)
      world.app.launch(restoring: restoration, from: try Self.archive())
      if isLate { try world.screen("b", below: world.find("a")) }
      #expect(restoration.report.problems == ["a › b › c › d was not made: no luck"])
      #expect(
        restoration.report.notes == [
          "a › b › c: notes: branch, follow was not restored, because no ContextName has "
            + "this name."
        ])
    }
  }
}
