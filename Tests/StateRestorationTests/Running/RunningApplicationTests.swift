import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Restoring into a running application replaces state once")
struct RunningApplicationTests {
  @Test("Values are replaced, finished comes again once, and others stay")
  func replaces() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = try world.screen("screen")
    screen.note = "then"
    let archive = world.archive
    screen.note = "now"
    let other = try world.screen("other")
    other.note = "stays"
    world.events.lines = []
    world.restoration.restore(archive, into: world.app)
    #expect(screen.note == "then")
    #expect(other.note == "stays")
    #expect(world.find("screen") === screen)
    #expect(world.app.children.count == 2)
    #expect(world.events.lines.filter { $0 == "finish screen" }.count == 1)
    #expect(world.restoration.report.problems == [])
  }

  @Test("Properties that were read and set are replaced, too")
  func properties() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let form = Form()
    form.restorationIdentifier = "form"
    try world.app.append(form)
    form.draft = "then"
    form.selection = nil
    let archive = world.archive
    form.draft = "now"
    form.selection = 3
    world.restoration.restore(archive, into: world.app)
    #expect(form.draft == "then")
    #expect(form.selection == nil)
  }

  @Test("A rehearsal equals a save and a launch, and fails if something is lost")
  func rehearsal() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    try world.screen("screen").note = "here"
    let events = Events()
    let again = try world.restoration.rehearse(from: world.app) { App(events) }
    #expect((again.children.first as? Screen)?.note == "here")
    #expect(again.phase == .active)
    let broken = Broken()
    broken.restorationIdentifier = "broken"
    try world.app.append(broken)
    #expect(throws: RehearsalError.self) {
      try world.restoration.rehearse(from: world.app) { App(events) }
    }
  }

  private final class Broken: Controller, StateRestoring {
    func encodeRestorableState(with coder: StateEncoder) throws { throw Mishap("never") }
    func decodeRestorableState(with coder: StateDecoder) throws {}
  }
}
