import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A launch without an archive is over when it reports")
struct FirstLaunchTests {
  @Test("What the report's closure opens, saves and restores is as after the launch")
  func report() throws {
    let stored = World()
    stored.app.launch()
    try stored.screen("screen").note = "stored"
    let archive = stored.archive
    for bytes in [nil, StateArchive(bytes: [1, 2, 3])] {
      let world = World()
      var saved: StateArchive?
      weak var opened: Screen?
      let own = world.restoration
      own.onReport = { [weak app = world.app, weak own] _ in
        guard saved == nil, let app, let restoration = own else { return }
        let screen = Screen(Events(), "screen")
        opened = screen
        try? app.append(screen)
        saved = restoration.archive(of: app)
        restoration.erase(at: ["elsewhere"])
        screen.removeFromParent()
        restoration.restore(archive, into: app)
      }
      world.app.launch(restoring: world.restoration, from: bytes)
      #expect(try World.restored(try #require(saved)).find("screen") != nil)
      #expect(opened == nil)
      #expect(world.find("screen")?.note == "stored")
    }
  }
}
