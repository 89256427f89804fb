import Lineage
import Testing

extension ArticleTests {
  final class DeckController: Controller {
    @Restorable("search") var search = ""
    @Restorable("card") var card: Object<Card>?  // the selected one
  }

  final class EditorController: Controller, StateRestoring, RestorationFinishing {
    var zoom = 1.0 { didSet { invalidateRestorableState() } }
    var card: Object<Card>? { didSet { invalidateRestorableState() } }

    override init() {
      super.init()
      branch(ObjectContext.self)  // edits in a child of the deck's context
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(zoom, for: "zoom")
      try coder.encode(card, for: "card")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      zoom = try coder.decode("zoom") ?? 1
      try coder.whenReady("card", into: \.card, of: self)  // now, or when the store is open
    }

    func didFinishRestoring() {
      debugName = card.map { "editor of \($0.question)" }
    }
  }

  func makeRestoration() -> Restoration {
    Restoration {
      Kind("deck", DeckController.init)
      Kind("editor") { request in  // only below a deck; elsewhere it is refused
        request.parent is DeckController ? request.existing ?? EditorController() : nil
      }
      ContextName.objects  // branches of object contexts, and values that are objects
    }
  }

  /// Returns an application, its store, and a card. The application has a deck controller with an
  /// editor below it, and both show the card.
  private func flashCards() throws -> (Application, MemoryStore, Object<Card>) {
    let (store, context, card) = try filled()
    let application = Application()
    application.provide(context)

    let deck = DeckController()
    deck.restorationIdentifier = "deck"
    try application.append(deck)

    let editor = EditorController()
    editor.restorationIdentifier = "editor"
    try deck.append(editor)

    deck.search = "2 +"
    deck.card = card
    editor.zoom = 3
    editor.card = try editor.require(ObjectContext.self).find(card.id)
    return (application, store, card)
  }

  @Test("A restorable controller, while its store opens")
  func restorableController() throws {
    let (application, cards, card) = try flashCards()
    let archive = makeRestoration().archive(of: application)

    let restoration = makeRestoration()
    let again = Application()
    let store = again.expect(ObjectContext.self)  // as openStore does
    again.launch(restoring: restoration, from: archive)

    let deck = again.children.first as? DeckController
    let editor = deck?.children.first as? EditorController
    #expect(deck?.search == "2 +")
    deck?.search = "half"  // the archived text is replaced
    let isWaiting = deck?.$card.isWaiting  // true; deck?.card and editor?.card are nil
    #expect(isWaiting == true && deck?.card == nil && editor?.card == nil && editor?.zoom == 3)
    deck?.card = nil  // an edit: nothing will be selected

    #expect(editor?.debugName == nil)
    store.deliver(cards.makeContext())
    again.drain()  // now editor?.card is the archived card, and the editor is finished

    #expect(deck?.card == nil && deck?.search == "half")
    #expect(editor?.card?.id == card.id)
    let context = try #require(editor?.card?.context)
    #expect(context.parent === deck?.context(ObjectContext.self) && context.parent != nil)
    #expect(editor?.debugName == "editor of 2 + 2?")
    #expect(restoration.report.problems == [])
  }

  @Test("A restorable controller is rehearsed")
  func rehearsedController() throws {
    let (application, store, _) = try flashCards()
    let context = store.makeContext()

    let again = try makeRestoration().rehearse(from: application) {
      let next = Application()
      next.provide(context)
      return next
    }
    let deck = try #require(again.children.first as? DeckController)
    #expect(deck.search == "2 +")
    #expect(deck.card?.question == "2 + 2?")
    let editor = try #require(deck.children.first as? EditorController)
    #expect(editor.zoom == 3)
    #expect(editor.card?.context?.parent === context)
  }

  @Test("An object that was never saved is missing in the next process, and unsaved edits are gone")
  func unsavedEdits() throws {
    let (application, store, card) = try flashCards()
    let context = try application.require(ObjectContext.self)
    let deck = try #require(application.children.first as? DeckController)
    let editor = try #require(deck.children.first as? EditorController)
    editor.card?.question = "unsaved"
    deck.card = try context.insert(Card(question: "new"))
    let restoration = makeRestoration()
    let archive = restoration.archive(of: application)
    #expect(restoration.report.problems == [])

    let again = Application()
    again.provide(store.makeContext())
    again.launch(restoring: makeRestoration(), from: archive)
    let next = try #require(again.children.first as? DeckController)
    let nextEditor = try #require(next.children.first as? EditorController)
    #expect(next.card == nil && next.$card.missing.count == 1)
    #expect(nextEditor.card?.id == card.id && nextEditor.card?.question == "2 + 2?")
  }
}
