import Foundation
import Lineage
import Synchronization
import Testing

extension ArticleTests {
  @Test("ObjectGraph")
  func objectGraph() throws {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()

    let card = Object(Card(question: "2 + 2?"))  // disconnected; its id is already permanent
    card.deck = Object(Deck(name: "Sums"))
    try context.insert(card)  // with the deck that it refers to
    try context.save()

    let due = try context.fetch(Card.self, where: { $0.rightCount < 3 }, sort: { $0.question })
    #expect(due == [card] && card.deck?.name == "Sums")
  }

  @Test("Working with objects")
  func working() throws {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()

    let sum = Object(Card(question: "2 + 2?"))
    let sums = Object(Deck(name: "Sums"))
    sum.deck = sums
    try context.insert(sum)  // and sums

    #expect(sums.context === context && sums.cards == [sum])
    try context.save()
    let id = sum.id

    let due = try context.fetch(
      Card.self, where: { $0.rightCount < 3 && $0.deck.name == "Sums" }, sort: { $0.question })
    let questions = try context.values(Card.self).map(\.question)  // structs, no objects
    let known = try context.find(id)  // nil if there is none
    let card = try context.object(with: id)  // or the error that says why there is none
    let hard = try context.count(Card.self, where: { $0.rightCount < 1 })

    #expect(due == [card] && known === card && questions == ["2 + 2?"] && hard == 1)

    let editing = context.makeChild()
    let copy = try editing.object(with: id)
    copy.question = "2 + 3?"  // the parent's card is as before
    #expect(card.question == "2 + 2?")
    try editing.save()  // now the parent has it, unsaved
    #expect(context.hasUnsavedChanges && card.question == "2 + 3?")
    try context.save()  // now the store has it
    #expect(try store.makeContext().values(Card.self).map(\.question) == ["2 + 3?"])

    let product = try context.edit { child in
      try child.object(with: id).rightCount += 1
      return try child.insert(Card(question: "2 * 2?"))
    }
    #expect(product.context === context && !context.hasUnsavedChanges)
    try context.delete(product)
    card.rightCount -= 1
    try context.save()

    editing.recordsUndo = true
    editing.group {
      copy.question = "2 + 4?"
      copy.rightCount = 0
    }
    editing.undo()
    #expect(copy.question == "2 + 3?")

    context.conflictPolicy = .resolve { conflict in
      guard conflict.properties == ["rightCount"], let base = conflict.base as? Card,
        let mine = conflict.mine as? Card, var theirs = conflict.theirs as? Card
      else { return .theirs }
      theirs.rightCount += mine.rightCount - base.rightCount
      return .value(theirs)
    }
    let other = store.makeContext()
    try other.object(with: id).rightCount = 7
    try other.save()
    card.rightCount = 5
    try context.save()
    #expect(try store.makeContext().object(with: id).rightCount == 12)
  }

  @Test("Working with objects: what nobody decides about")
  func undecided() throws {
    struct Note: Entity {
      var text = ""
      var modified = Date.distantPast

      static let schema = Schema<Note>("Note") {
        Attribute("text", \.text)
        Attribute("modified", \.modified, onConflict: .mine)
      }
    }
    let store = try MemoryStore([Note.self])
    let (one, other) = (store.makeContext(), store.makeContext())
    let note = try one.insert(Note(text: "base"))
    try one.save()
    let copy = try other.object(with: note.id)
    (note.modified, copy.modified) = (
      Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)
    )
    try one.save()
    try other.save()
    #expect(try store.makeContext().object(with: note.id).modified == copy.modified)
  }

  @Test("Working with objects: the whole task")
  func task() throws {
    let store = try MemoryStore([Card.self, Deck.self])  // or a SQLiteStore
    let context = store.makeContext()

    let first = try context.insert(Card(question: "1 + 1?"))
    first.rightCount += 1
    try context.save()

    let right = try context.fetch(Card.self, where: { $0.rightCount > 0 })  // [first]
    #expect(right == [first])
    #expect(try store.makeContext().values(Card.self).map(\.rightCount) == [1])
  }

  @Test("Deleting and undoing")
  func deleting() throws {
    let (store, context, card) = try filled()
    let sums = try #require(card.deck)

    context.recordsUndo = true
    try context.delete(sums)  // and its cards, because the rule of `cards` is .cascade
    #expect(card.isDeleted && context.canUndo)
    context.undo()  // the deck and its cards are there again
    #expect(!card.isDeleted && !sums.isDeleted && card.deck == sums && context.canRedo)
    context.redo()  // deleted again
    #expect(card.isDeleted && sums.isDeleted)
    context.undo()

    try context.delete(card)
    let isGone = card.isDeleted  // true
    #expect(try isGone && context.count(Card.self) == 0)
    #expect(try store.makeContext().count(Card.self) == 1)
    try context.save()  // now it is gone from the store, too

    #expect(try store.makeContext().count(Card.self) == 0 && card.question == "2 + 2?")
    #expect(!context.canUndo)
  }

  @Test("Putting a saved deletion back")
  func puttingBack() throws {
    let (store, context, card) = try filled()
    let (id, sums) = (card.id, try #require(card.deck))

    let deletion = try context.delete(sums)  // and its cards
    try context.save()

    let count = deletion.ids(of: Card.self).count
    let offer = "Deleted a deck and \(count) of its cards. Undo?"

    try deletion.putBack()  // with the same ids and values
    try context.save()

    #expect(offer == "Deleted a deck and 1 of its cards. Undo?")
    #expect(try store.makeContext().object(with: id).value.deck == sums.id)

    func inAnEdit() throws {
      let deletion = try context.edit { try $0.delete($0.object(with: id)) }
      try context.edit { try deletion.putBack(in: $0) }
    }
    try inAnEdit()
    #expect(try store.makeContext().object(with: id).question == "2 + 2?" && card.deck === sums)
  }

  actor Desk {
    let context: ObjectContext
    init(_ store: MemoryStore) { context = store.makeContext() }

    func card(_ id: Ref<Card>) throws -> Card { try context.object(with: id).value }
  }

  nonisolated func makeFilledContext(_ store: MemoryStore) throws -> sending ObjectContext {
    let context = store.makeContext()
    try context.insert(Card(question: "2 + 2?"))
    return context
  }

  @Test("Confinement")
  func confinement() async throws {
    let (store, context, card) = try filled()
    #expect(try await Desk(store).card(card.id).question == "2 + 2?")

    let id = card.id
    let task = Task.detached {
      let context = store.makeContext()
      try context.object(with: id).question = "2 + 3?"
      try context.save()
    }

    try await task.value
    let cards = try await store.background { context, _ in try context.values(Card.self) }
    #expect(cards.map(\.question) == ["2 + 3?"])
    try context.merge()
    #expect(card.question == "2 + 3?")
    let received = try makeFilledContext(store)
    #expect(received.hasUnsavedChanges)
    received.discard()
  }

  @Test("What happens in each fault")
  func faults() throws {
    struct Note: Entity {
      var card: Ref<Card>?
      static let schema = Schema<Note>("Note") { ToOne("card", \.card) }
    }
    let store = try MemoryStore([Card.self, Deck.self, Note.self])
    let context = store.makeContext()
    let note = try context.insert(Note())
    note.card = Object(Card(question: "2 + 2?"))
    try context.save()
    // The property `note.card` has no inverse, so it has no delete rule.
    let card = try #require(note.card)
    try context.delete(card)
    do {
      try context.save()
      Issue.record("saved")
    } catch let error as GraphError {
      guard case .dangling = error.reason else { throw error }
    }
    #expect(context.hasUnsavedChanges && card.question == "2 + 2?" && note.value.card == card.id)
    let faults = Mutex<[String]>([])
    func hear(_ context: ObjectContext) {
      context.onError = { fault in faults.withLock { $0.append("\(fault.reason)") } }
    }
    hear(context)
    card.question = "gone"
    context.discard()
    let other = store.makeContext()
    hear(other)
    try other.object(with: note.id).card = card
    #expect(
      faults.withLock { $0 } == [
        "\(card.id) was deleted", "the objects live in different contexts",
      ])
    #expect(note.card == card)
  }

  @Test("Filters and orders")
  func filters() throws {
    let (_, context, card) = try filled()
    card.question = "Über 2 + 2: Übung"
    let sums = try #require(card.deck)
    let now = Date()
    card.due = now
    let calendar = Calendar(identifier: .gregorian)

    let due = Filter<Card> { $0.rightCount < 3 && $0.deck.name == "Sums" }
    #expect(try context.fetch(FetchRequest(filter: due)) == [card])

    let umlauts = try context.fetch(
      Card.self,
      where: { $0.question.contains("ubung", [.caseInsensitive, .diacriticInsensitive]) })
    #expect(umlauts == [card])

    let start = calendar.startOfDay(for: now)
    let end = calendar.date(byAdding: .day, value: 1, to: start) ?? start
    let today = try context.fetch(Card.self, where: { $0.due.isIn(start..<end) }, sort: { $0.due })
    #expect(today == [card])

    let byScore = try context.fetch(
      Card.self,
      sort: {
        $0.rightCount.descending
        $0.question
      }, limit: 20)
    #expect(byScore == [card])

    let part = try context.insert(Deck(name: "part 10"))
    let other = try context.insert(Deck(name: "Part 9"))
    let byName = try context.fetch(
      Deck.self,
      sort: {
        $0.name.natural
        $0.name
      })
    #expect(byName == [other, part, sums])

    let request = FetchRequest<Card>(
      where: { $0.deck.cards.count > 10 }, sort: { $0.question }, prefetch: { $0.deck })
    let data = try JSONEncoder().encode(request)
    let again = try JSONDecoder().decode(FetchRequest<Card>.self, from: data)
    #expect(again == request)
    #expect(try context.fetch(again) == [])

    let best = try context.maximum(Card.self, of: { $0.rightCount }, where: { $0.deck == sums })
    #expect(best == 0)
    // The operators == and != treat nil as a value. Nil is neither less nor greater than any value.
    card.due = nil
    #expect(try context.count(Card.self, where: { $0.due != now }) == 1)
    #expect(try context.count(Card.self, where: { $0.due < now }) == 0)
    #expect(try context.count(Card.self, where: { !($0.due < now) }) == 1)
    context.discard()
  }

  @Test("Ids")
  func ids() throws {
    let (store, context, _) = try filled()

    let card = Object(Card(question: "2 + 2?"))
    let id = card.id  // before any insert or save
    try context.insert(card)
    let uri = try context.uri(of: card)  // lineage://<store id>/Card/<id>

    #expect(uri.absoluteString == "lineage://\(store.id)/\(id)")
    let found = try context.object(at: uri) as? Object<Card>
    #expect(found === card)
    #expect(throws: GraphError.self) { try context.insert(Object(Card(), id: id)) }
    context.discard()
  }
}
