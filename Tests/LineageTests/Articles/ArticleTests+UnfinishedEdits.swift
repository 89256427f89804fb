import Lineage
import LineageTestSupport
import Testing

extension ArticleTests {
  final class CardEditor: Controller {
    @Restorable("card") var card: Object<Card>?

    override init() {
      super.init()
      branch(ObjectContext.self, restoring: .edits)
    }
  }

  struct Login: Entity {
    var name = ""
    var password = ""

    static let schema = Schema<Login>("Login") {
      Attribute("name", \.name)
      Attribute("password", \.password, inState: false)
    }
  }

  /// Launches an application that keeps its state in the folder. Its objects are those of a store.
  private func launch(_ store: MemoryStore) -> (Application, Restoration) {
    let application = Application()
    application.provide(store.makeContext())
    let restoration = Restoration(in: .at(folder.file("state"))) {
      Kind("editor") { $0.existing ?? CardEditor() }
      ContextName.objects
    }
    application.launch(restoring: restoration)
    return (application, restoration)
  }

  @Test("Unfinished edits")
  func unfinishedEdits() throws {
    let store = try MemoryStore([Card.self, Deck.self, Login.self])
    let root = store.makeContext()
    let id = try root.insert(Card(question: "What is half of eight?")).id
    try root.save()
    try edit(id, launch(store))
    let (application, restoration) = launch(store)
    let again = try #require(application.children.first as? CardEditor)
    let card = again.card
    let isKept = card?.question == "What is half of ei" && card?.changes.properties == ["question"]
    #expect(isKept)
    for case let screen as Controller in application.children { try screen.leave(.discard) }
    application.context(ObjectContext.self)?.discard()
    restoration.erase()
    #expect(application.children.isEmpty)
  }

  private func edit(_ id: Ref<Card>, _ process: (Application, Restoration)) throws {
    let (application, restoration) = process
    let editor = CardEditor()
    editor.restorationIdentifier = "editor"
    editor.restorationKind = "editor"
    try application.append(editor)
    let context = try editor.require(ObjectContext.self)
    editor.card = try context.object(with: id)
    editor.card?.question = "What is half of ei"  // not done yet
    try restoration.save()
  }

  @Test("The root's unfinished edits")
  func rootEdits() async throws {
    let url = url
    let application = Application()
    application.openStore(at: url, [Card.self, Deck.self], restoring: .edits)
    let root = try await application.context(whenReady: ObjectContext.self)
    #expect(root.keepsEdits)
  }
}
