import Foundation
import ResponderChain
import StateRestoration
import Testing

/// The samples of the module's page, to the letter. No file of this folder imports a module that
/// knows of objects or stores, so the samples need none; `ArticleSampleTests` sees to both.
@Suite("The page of StateRestoration")
struct ArticleTests {
  @Test("A tree is restored without a store")
  func stateRestoration() throws {
    final class DeckController: Controller {
      @Restorable("selection") var selection: Int?
      @Restorable("draft") var draft = ""
    }

    final class ZoomController: Controller, StateRestoring {
      var zoom = 1.0

      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(zoom, for: "zoom")
      }

      func decodeRestorableState(with coder: StateDecoder) throws {
        zoom = try coder.decode("zoom") ?? 1
      }
    }

    func makeRestoration() -> Restoration {
      Restoration {
        Kind("deck", DeckController.init)
        Kind("zoom") { request in request.existing ?? ZoomController() }
      }
    }

    func print(_ report: RestorationReport) {
      #expect(report.count(.restored) == 3)
      #expect(report.problems == [])
    }

    let application = Application()
    let deck = DeckController()
    deck.restorationIdentifier = "deck"
    try application.append(deck)
    deck.draft = "half"
    let zoom = ZoomController()
    zoom.restorationIdentifier = "zoom"
    try deck.append(zoom)
    zoom.zoom = 2

    let archive = makeRestoration().archive(of: application)

    let restoration = makeRestoration()
    let again = Application()
    again.launch(restoring: restoration, from: archive)
    print(restoration.report)

    let restored = try #require(again.children.first as? DeckController)
    #expect(restored.draft == "half")
    #expect((restored.children.first as? ZoomController)?.zoom == 2)
  }
  @Test("A program keeps its state in a file")
  func program() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let first = NotesApp(stateIn: file)
    first.start()
    let note = try #require(first.children.first as? NoteController)
    note.text = "half"
    first.terminate()

    let second = NotesApp(stateIn: file)
    second.start()
    #expect(second.children.count == 1)
    #expect((second.children.first as? NoteController)?.text == "half")

    // The bytes of a newer version stay.
    var bytes = [UInt8](try Data(contentsOf: file))
    bytes[8] = 200
    try Data(bytes).write(to: file)
    let older = NotesApp(stateIn: file)
    older.start()
    #expect((older.children.first as? NoteController)?.text == "")
    older.terminate()
    #expect([UInt8](try Data(contentsOf: file)) == bytes)
  }
}
