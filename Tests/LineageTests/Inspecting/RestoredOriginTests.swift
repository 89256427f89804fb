import Foundation
import Lineage
import LineageTestSupport
import Testing

/// Tests of the origins of slots that this module or state restoration makes, in processes of their
/// own.
@Suite("The origins of slots that are restored, and of calls that wrap others", .hangGuard)
struct RestoredOriginTests {
  private static let file = "LineageTests/RestoredOriginTests.swift"

  @Test("Restored slots say so, until code declares them again")
  func restored() async {
    await #expect(processExitsWith: .success) { try Self.restore() }
  }

  @Test("A store's slots have the line that has opened it")
  func opened() async {
    await #expect(processExitsWith: .success) { Self.open() }
  }

  private static func launch(_ archive: StateArchive?) throws -> (Application, Restoration) {
    let application = Application()
    let restoration = Restoration {
      Kind("screen") { $0.existing ?? Controller() }
      ContextName.objects
    }
    application.provide(try MemoryStore(Library.entities, id: "store").makeContext())
    application.launch(restoring: restoration, from: archive)
    return (application, restoration)
  }

  private static func origins(_ responders: some Sequence<Responder>) -> [String?] {
    responders.map { $0.explain(ObjectContext.self).hops[0].origin?.description }
  }

  private static func restore() throws {
    Responder.keepsOrigins = true
    let (first, restoration) = try launch(nil)
    let screens = try ["branch", "block"].map { name in
      let screen = Controller()
      screen.restorationIdentifier = name
      screen.restorationKind = "screen"
      try first.append(screen)
      return screen
    }
    screens[0].branch(ObjectContext.self, restoring: .edits)
    screens[1].block(ObjectContext.self)
    let line = #line
    #expect(origins(screens) == ["\(file):\(line - 2)", "\(file):\(line - 1)"])

    let (second, _) = try launch(restoration.archive(of: first))
    let restored = Array(second.children)
    #expect(origins(restored) == ["restored", "restored"])
    let folder = try Drawer()
    let page = try PageReader(of: second, in: folder.url)
    page.check(second, [ObjectContext.self], "restored")
    #expect(page.data.texts.contains("restored"))
    restored[1].block(ObjectContext.self)
    let again = #line - 1
    #expect(origins(restored) == ["restored", "\(file):\(again)"])
  }

  private static func open() {
    Responder.keepsOrigins = true
    let application = Application()
    application.openStore(at: URL(filePath: "/dev/null/store")) { _ in throw Mishap("closed") }
    let line = #line - 1
    let slots = application.slotSummaries.map(\.key)
    #expect(slots.count == 4)
    for key in slots {
      #expect(application.explain(key).hops[0].origin?.description == "\(file):\(line)")
    }
  }
}
