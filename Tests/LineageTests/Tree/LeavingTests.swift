import Lineage
import LineageTestSupport
import Testing

@Suite("Leaving", .hangGuard)
@MainActor
struct LeavingTests {
  @Test("A controller leaves with its branch saved or discarded, or stays")
  func leaving() throws {
    let application = Application()
    let context = try MemoryStore(Library.entities).makeContext()
    application.provide(context)
    func editor(_ question: String) throws -> Controller {
      let editor = Controller()
      editor.branch(ObjectContext.self)
      try application.append(editor)
      try editor.require(ObjectContext.self).insert(LineageTestSupport.Card(question))
      return editor
    }
    let saved = try editor("kept")
    try saved.leave(.save)
    let discarded = try editor("thrown away")
    try discarded.leave(.discard)
    #expect(saved.nextResponder == nil && discarded.nextResponder == nil)
    #expect(try context.values(LineageTestSupport.Card.self).map(\.question) == ["kept"])
    let stuck = try editor("forbidden")
    #expect(throws: GraphError.self) { try stuck.leave(.save) }
    #expect(stuck.nextResponder === application)
    try stuck.leave(.discard)
    context.discard()
  }

  @Test("What is unsaved in a branch under another key is saved, too")
  func otherKey() throws {
    enum Catalogue: ContextKey { typealias Value = ObjectContext }
    let context = try MemoryStore([Note.self, Topic.self]).makeContext()
    context.onError = { Issue.record("\($0)") }
    let application = Application()
    application.provide(context, for: Catalogue.self)
    let editor = Controller()
    editor.branch(Catalogue.self)
    try application.append(editor)
    try editor.require(Catalogue.self).insert(Note("typed"))
    try editor.leave(.save)
    #expect(try context.values(Note.self).map(\.text) == ["typed"])
    context.discard()
  }

  @Test("A branch whose root was replaced is saved as far as the store it came from")
  func drifting() throws {
    let (ada, bob) = (try MemoryStore(card: "ada's"), try MemoryStore(card: "bob's"))
    let application = Application()
    let editor = Controller()
    do {
      // After this block, only the branch retains this context.
      let first = ada.makeContext()
      first.onError = { Issue.record("\($0)") }
      application.provide(first)
    }
    editor.branch(ObjectContext.self)
    try application.append(editor)
    try editor.require(ObjectContext.self)
      .fetch(LineageTestSupport.Card.self)[0].question = "half typed"
    application.provide(bob.makeContext())
    try editor.leave(.save)
    #expect(
      try ada.makeContext().values(LineageTestSupport.Card.self).map(\.question) == ["half typed"])
  }

  @Test("A form that the store refuses stays with its edits, and can be cancelled")
  func refused() throws {
    let store = try MemoryStore(Library.entities)
    let context = store.makeContext()
    try context.insert(LineageTestSupport.Deck("Spanish"))
    try context.save()
    let application = Application()
    application.provide(context)
    let form = Controller()
    form.branch(ObjectContext.self)
    try application.append(form)
    let editing = try form.require(ObjectContext.self)
    try editing.insert(LineageTestSupport.Deck("Spanish"))
    #expect(throws: GraphError.self) { try form.leave(.saveAll) }
    #expect(throws: GraphError.self) { try form.withdraw(ObjectContext.self, unsaved: .saveAll) }
    #expect(form.nextResponder === application && editing.hasUnsavedChanges)
    #expect(try !context.hasUnsavedChanges && context.count(LineageTestSupport.Deck.self) == 1)
    try form.leave(.discard)
    try context.insert(LineageTestSupport.Deck("French"))
    try context.save()
    #expect(try store.makeContext().count(LineageTestSupport.Deck.self) == 2)
  }

  @Test("A drifting form whose store is closed says so, and keeps its edits")
  func closed() async throws {
    let drawer = try Drawer()
    let store = try await SQLiteStore.open(at: drawer.file(), Library.entities)
    let application = Application()
    application.provide(store.makeContext())
    let form = Controller()
    form.branch(ObjectContext.self)
    try application.append(form)
    let editing = try form.require(ObjectContext.self)
    try editing.insert(LineageTestSupport.Card("half typed"))
    application.provide(try MemoryStore(card: "bob's").makeContext())
    store.close()
    let error = #expect(throws: GraphError.self) { try form.leave(.saveAll) }
    guard case .closed? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(form.nextResponder === application && editing.hasUnsavedChanges)
    editing.discard()
  }
}
