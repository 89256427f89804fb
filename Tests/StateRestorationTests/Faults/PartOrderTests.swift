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
    /// Whether responders have the part, besides an archived one that waits.
    var isPresent = true

    init(_ name: String, needs: [String]) { (self.name, self.needs) = (name, needs) }

    func part(of responder: Responder) throws -> ArchivedPart? {
      isPresent ? ArchivedPart(name: name, needs: needs, bytes: [1]) : nil
    }

    func read(_ part: ArchivedPart, for responder: Responder) throws -> any ReadPart { Read() }
    func prefetch(_ parts: [any ReadPart]) -> Any? { nil }
    func problem(at responder: Responder) -> String? { nil }

    func didHandOver(_ responder: Responder) {}
    func isEqual(_ part: ArchivedPart, _ other: ArchivedPart) -> Bool { true }
  }

  private final class Read: ReadPart {
    func apply() throws -> PartOutcome { .applied([], rest: nil) }
  }

  @Test("A save that changes neither keeps the archive, even while one of them waits")
  func order() throws {
    func launch(_ archive: StateArchive?) -> World {
      let world = World()
      world.restoration.add(Part("early", needs: []))
      let late = Part("late", needs: ["notes"])
      late.isPresent = archive == nil
      world.restoration.add(late)
      world.app.launch(restoring: world.restoration, from: archive)
      return world
    }
    let first = launch(nil)
    let screen = try first.screen("screen")
    screen.restorationKind = "screen"
    screen.noteKeptChanges()
    let archive = first.archive
    let world = launch(archive)
    try #require(world.find("screen")).noteKeptChanges()
    #expect(world.restoration.archive(of: world.app, asksAll: false) == archive)
  }
}
