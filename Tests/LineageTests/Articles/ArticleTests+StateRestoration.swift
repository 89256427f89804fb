import Lineage
import Testing

extension ArticleTests {
  @Test("StateRestoration")
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
}
