import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("An added object and a screen may have the same identifier")
struct SameNameTests {
  private static func archive() throws -> StateArchive {
    let world = World()
    let player = AddedObjectTests.Player()
    player.volume = 9
    world.restoration.add(player, as: "player", under: world.app)
    return world.archive
  }

  @Test("A screen takes no record of an object that is added later")
  func later() throws {
    let world = try World.restored(try Self.archive())
    try world.screen("player")
    let player = AddedObjectTests.Player()
    world.restoration.add(player, as: "player", under: world.app)
    #expect(player.volume == 9)
  }

  @Test("The kept record of an object gives a screen no other place")
  func place() throws {
    let world = try World.restored(try Self.archive())
    try world.screen("player").restorationKind = "screen"
    let next = try World.restored(world.archive) { try $0.screen("player") }
    #expect(next.app.children.count == 1)
  }
}
