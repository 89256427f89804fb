import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Two parts of one record")
struct PartOrderTests {
  /// A part that has one byte for each responder.
  private final class Part: RecordPart {
    let name: String
    let needs: [String]
    let byteLimit = 1

    init(_ name: String, needs: [String]) { (self.name, self.needs) = (name, needs) }

    func part(of responder: Responder) throws -> ArchivedPart? {
      ArchivedPart(name: name, needs: needs, bytes: [1])
    }

    func apply(_ part: ArchivedPart, to responder: Responder) throws {}
    func stateWasErased(of responder: Responder) {}
  }

  @Test("A save that changes neither keeps the archive, even while one of them waits")
  func order() throws {
    func launch(_ archive: StateArchive?) -> World {
      let world = World()
      world.restoration.add(Part("early", needs: []))
      world.restoration.add(Part("late", needs: ["notes"]))
      world.app.launch(restoring: world.restoration, from: archive)
      return world
    }
    let first = launch(nil)
    try first.screen("screen").restorationKind = "screen"
    let archive = first.archive
    let world = launch(archive)
    world.restoration.notePartChange(of: try #require(world.find("screen")))
    #expect(world.restoration.archive(of: world.app, asksAll: false) == archive)
  }
}
