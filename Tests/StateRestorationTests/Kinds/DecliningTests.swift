import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A record whose place is taken is kept, and is no twin")
struct DecliningTests {
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.launch()
    world.app.theme = "dark"
    let screen = try world.screen("screen")
    screen.note = "old"
    try world.screen("screen", below: screen).note = "old inner"
    return world.archive
  }

  private static func notes(_ world: World) -> [String?] {
    world.app.children.map { ($0 as? Screen)?.note }
  }

  @Test(
    "Nothing of a declined archive is used, then or later",
    arguments: [Restoration.Extent.minimum, .nothing], [false, true])
  func declined(extent: Restoration.Extent, isThere: Bool) throws {
    for isFull in [false, true] {
      let world = World()
      if isThere { try world.screen("screen").note = "new" }
      world.restoration.ask = { _ in extent }
      world.app.launch(restoring: world.restoration, from: try Self.archive())
      if !isThere {
        let screen = try world.screen("screen")
        #expect(screen.note == nil)
        #expect(screen.children.isEmpty)
        screen.note = "new"
      }
      #expect(!world.events.lines.contains { $0.hasPrefix("decode screen") })
      #expect(world.restoration.report.count(.carried) == (extent == .minimum ? 2 : 3))
      func save(_ world: World) -> StateArchive {
        isFull
          ? world.restoration.archive(of: world.app)
          : world.restoration.archive(of: world.app, asksAll: false)
      }
      let archive = save(world)
      #expect(save(world).count == archive.count)

      // The next launch restores the new screen. It carries the record of the old screen, and the
      // record below that.
      let next = try World.restored(archive)
      #expect(Self.notes(next) == ["new"])
      #expect(next.restoration.report.count(.carried) == 2)
      try next.screen("screen").note = "second"

      // When no screen has the place any more, the old one comes back.
      let third = try World.restored(next.archive)
      #expect(Self.notes(third) == ["new", "second"])
      for child in Array(third.app.children) { child.removeFromParent() }
      let last = try World.restored(third.archive)
      #expect(Self.notes(last) == ["old"])
      #expect(last.find("screen", "screen")?.note == "old inner")
    }
  }

  @Test("An object that is added after a declined launch gets nothing of it")
  func object() throws {
    final class Player: StateRestoring {
      var volume = 5
      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(volume, for: "volume")
      }
      func decodeRestorableState(with coder: StateDecoder) throws {
        volume = try coder.decode("volume") ?? 5
      }
    }
    func launch(
      _ archive: StateArchive?, _ extent: Restoration.Extent, _ player: Player, isLate: Bool
    ) -> (Application, Restoration) {
      let app = Application()
      let restoration = Restoration {}
      restoration.ask = { _ in extent }
      if !isLate { restoration.add(player, as: "player", under: app) }
      app.launch(restoring: restoration, from: archive)
      if isLate { restoration.add(player, as: "player", under: app) }
      return (app, restoration)
    }
    for isLate in [false, true] {
      let first = Player()
      first.volume = 9
      let (app, restoration) = launch(nil, .all, first, isLate: false)
      let second = Player()
      let (again, next) = launch(restoration.archive(of: app), .minimum, second, isLate: isLate)
      #expect(second.volume == 5)
      second.volume = 2
      let third = Player()
      let (last, _) = launch(next.archive(of: again), .all, third, isLate: isLate)
      #expect(third.volume == 2)
      withExtendedLifetime((app, again, last)) {}
    }
  }

  @Test("A responder of an unrelated class does not become two", arguments: [false, true])
  func unrelated(isFull: Bool) throws {
    let world = World()
    world.app.launch()
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = "text"
    try world.app.append(form)
    var archive = world.archive
    for _ in 0..<3 {
      let again = World()
      let other = Controller()
      other.restorationIdentifier = "form"
      try again.app.append(other)
      again.app.launch(restoring: again.restoration, from: archive)
      #expect(again.app.children.count == 1)
      #expect(again.app.children.first === other)
      archive =
        isFull
        ? again.restoration.archive(of: again.app)
        : again.restoration.archive(of: again.app, asksAll: false)
      #expect(again.restoration.report.count(.carried) == 1)
    }
    // Neither responder was made from the record of the other.
    let next = try World.restored(archive)
    #expect(next.app.children.isEmpty)
    #expect(next.restoration.report.records.count == 3)
  }

  @Test("A twin whose factory has failed once is made in the next launch")
  func failedTwin() throws {
    let world = World()
    world.app.launch()
    for number in 1...3 { try world.screen("screen").note = "\(number)" }
    let failing = World()
    let events = failing.events
    var calls = 0
    let restoration = Restoration {
      Kind("screen") { _ in
        calls += 1
        if calls == 2 { throw Mishap("no luck") }
        return Screen(events)
      }
    }
    failing.app.launch(restoring: restoration, from: world.archive)
    #expect(Self.notes(failing) == ["1", "3"])
    let again = try World.restored(restoration.archive(of: failing.app))
    #expect(Self.notes(again) == ["1", "2", "3"])
  }
}
