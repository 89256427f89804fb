import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of `ObjectContext.edit`.
@Suite("An edit is saved into the store, or was never made")
struct EditTests {
  private struct Refused: Error {}

  @Test("An edit saves what its closure has changed", arguments: Stores.all)
  func saves(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.edit { try $0.insert(Card("new")) }
    #expect(card.context === context && card.changes.isEmpty)
    let count = try context.edit { child in
      try child.object(with: card.id).rightCount += 1
      return try child.count(Card.self)
    }
    #expect(count == 1 && card.rightCount == 1)
    #expect(try opened.makeContext().object(with: card.id).rightCount == 1)
    let doomed = try context.edit { child in
      let copy = try child.object(with: card.id)
      try child.delete(copy)
      return copy
    }
    #expect(doomed.isDeleted && doomed.question == "new")
    #expect(try opened.makeContext().count(Card.self) == 0)
  }

  @Test("An error of the closure or of the save leaves everything as it was", arguments: Stores.all)
  func fails(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    try context.edit { _ = try $0.insert(Deck("Spanish")) }
    var draft: Object<Deck>?
    #expect(throws: Refused.self) {
      try context.edit { child in
        draft = try child.insert(Deck("French"))
        throw Refused()
      }
    }
    #expect(draft?.context == nil && draft?.isDeleted == false && !context.hasUnsavedChanges)
    #expect(refusal { try context.edit { _ = try $0.insert(Deck("Spanish")) } } == "notUnique")
    #expect(try !context.hasUnsavedChanges && context.count(Deck.self) == 1)
  }

  @Test("An edit inside another one is saved by the outer one", arguments: Stores.all)
  func inner(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    func add(_ question: String) throws -> Object<Card> {
      try context.edit { try $0.insert(Card(question)) }
    }
    try context.edit { outer in
      let one = try add("one")
      #expect(one.context === outer)
      try outer.edit { _ = try $0.insert(Card("two")) }
      #expect(refusal { try context.edit { _ = try $0.insert(Card("forbidden")) } } == "invalid")
      #expect(try opened.makeContext().count(Card.self) == 0)
      #expect(try outer.count(Card.self) == 2)
    }
    #expect(try opened.makeContext().count(Card.self) == 2)
    #expect(throws: Refused.self) {
      try context.edit { _ in
        _ = try add("three")
        throw Refused()
      }
    }
    #expect(try context.count(Card.self) == 2)
    _ = try add("four")
    #expect(try opened.makeContext().count(Card.self) == 3)
  }

  @Test("While the closure of an edit waits, another task's edit is no inner one")
  func interleaved() async throws {
    let store = try MemoryStore(Library.entities)
    let context = ObjectContext(store: store)
    #expect(throws: Never.self) { try context.save() }
    do {
      try await context.edit { child in
        try child.insert(Card("waiting"))
        await Task.yield()
        // A detached task has no task-local values, like one that was started elsewhere.
        #expect(try ObjectContext(store: store).count(Card.self) == 0)
        throw Refused()
      }
    } catch is Refused {}
    let card = try await context.edit { child in
      await Task.yield()
      return try child.insert(Card("later"))
    }
    #expect(card.context === context)
    #expect(try ObjectContext(store: store).count(Card.self) == 1)
  }
}
