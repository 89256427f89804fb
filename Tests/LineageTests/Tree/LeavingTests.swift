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
}
