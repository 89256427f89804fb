import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Relations")
struct RelationTests {
  @Test("The other side has a link before any save, here and below", arguments: Stores.all)
  func otherSide(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let decks = try (0..<2).map { try root.insert(Deck("d\($0)")) }
    let card = try root.insert(Card("c"))
    let child = root.makeChild()
    let below = try decks.map { try child.object(with: $0.id) }
    card.deck = decks[0]
    #expect(decks[0].cards == [card])
    #expect(below[0].cards.map(\.id) == [card.id])
    let draft = Object(Card("draft"))
    draft.deck = decks[0]
    #expect(decks[0].cards == [card])
    try root.insert(draft)
    #expect(decks[0].cards == [card, draft] && below[0].cards.count == 2)
    card.deck = decks[1]
    let moved: [[Ref<Card>]] = [[draft.id], [card.id]]
    #expect(decks.map { $0.cards.map(\.id) } == moved)
    #expect(below.map { $0.cards.map(\.id) } == moved)
    try child.object(with: card.id).deck = nil
    #expect(below[1].cards.isEmpty && decks[1].cards == [card])
    try child.saveAll()
    #expect(decks[1].cards.isEmpty && card.deck == nil)
    #expect(try root.count(Card.self, where: { $0.deck == nil }) == 1)
  }

  @Test("Nullify, cascade and deny, with unsaved new members", arguments: Stores.all)
  func rules(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let shelf = try root.insert(Shelf("s"))
    let deck = try root.insert(Deck("d"))
    deck.shelf = shelf
    let saved = try root.insert(Card("saved"))
    saved.deck = deck
    let learner = try root.insert(Learner("l"))
    learner.favourite = saved
    try root.save()
    let child = root.makeChild()
    let deckBelow = try child.object(with: deck.id)
    let new = try child.insert(Card("new"))
    new.deck = deckBelow
    let fan = try child.insert(Learner("new"))
    fan.favourite = new
    guard
      case .denied(let entity, let property, let count)? =
        reason({ try child.delete(child.object(with: shelf.id)) })
    else {
      Issue.record("not denied")
      return
    }
    #expect(entity == "Shelf" && property == "decks" && count == 1)
    #expect(!deckBelow.isDeleted && deckBelow.shelf?.id == shelf.id)
    try child.delete(deckBelow)
    #expect(new.isDeleted && fan.favourite == nil && !fan.isDeleted)
    #expect(try child.fetch(Card.self).isEmpty)
    #expect(try child.object(with: learner.id).favourite == nil)
    #expect(!saved.isDeleted && learner.favourite === saved)
    try child.delete(child.object(with: shelf.id))
    try child.saveAll()
    #expect(deck.isDeleted && saved.isDeleted && shelf.isDeleted && learner.favourite == nil)
    let later = opened.makeContext()
    #expect(try later.count(Card.self) + later.count(Deck.self) + later.count(Shelf.self) == 0)
    #expect(try later.count(Learner.self) == 2)
  }

  @Test("A ring of objects that go with each other goes at once", arguments: Stores.all)
  func ring(_ stores: Stores) async throws {
    let context = try await stores.open([Link.self]).makeContext()
    let links = try (0..<5).map { try context.insert(Link(name: "\($0)")) }
    for (index, link) in links.enumerated() { link.next = links[(index + 1) % 5] }
    try context.save()
    try context.delete(links[2])
    #expect(links.filter(\.isDeleted).count == 5)
    try context.save()
    #expect(try context.count(Link.self) == 0)
  }

  @Test(
    "A reference that dangles is an error with names; then the next save works",
    arguments: Stores.all)
  func dangling(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.insert(Card("c"))
    card.value.deck = Ref<Deck>(key: 77)
    #expect(card.deck == nil)
    guard case .dangling(let object, let property, let target)? = reason({ try context.save() })
    else {
      Issue.record("no error")
      return
    }
    #expect(object == "\(card.id)" && property == "deck" && target == "Deck/77")
    #expect(context.hasUnsavedChanges)
    #expect(try opened.makeContext().count(Card.self) == 0)
    card.deck = nil
    try context.save()
    #expect(try opened.makeContext().count(Card.self) == 1)
  }

  @Test("An object that others still refer to is not deleted from the store", arguments: Stores.all)
  func stillReferred(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let deck = try context.insert(Deck("d"))
    try context.save()
    let other = opened.makeContext()
    let card = try other.insert(Card("c"))
    card.deck = try other.object(with: deck.id)
    try context.delete(deck)
    try other.save()
    #expect(refusal { try context.save() } == "dangling")
    try context.merge()
    context.discard()
    #expect(deck.cards.map(\.id) == [card.id])
    try context.delete(deck)
    try context.save()
    #expect(try opened.makeContext().count(Card.self) == 0)
  }

  @Test("An object may be linked to itself", arguments: Stores.all)
  func itself(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = Object(Card("a"))
    card.next = card
    try context.insert(card)
    try context.save()
    #expect(card.next === card)
    try context.delete(card)
    try context.save()
    #expect(try opened.makeContext().count(Card.self) == 0)
  }

  @Test("A schema that is made anew at each use has the same relations")
  func computedSchema() {
    let boss = Object(Worker())
    let worker = Object(Worker())
    worker.boss = boss
    #expect(boss.staff == [worker])
  }
}

/// An element of a chain. Its deletion deletes the elements before it.
private struct Link: Entity {
  var name = ""
  var next: Ref<Link>?
  var previous: Many<Link> { Many(\.next) }

  init() {}
  init(name: String) { self.name = name }

  static let schema = Schema<Link>("Link") {
    Attribute("name", \.name)
    ToOne("next", \.next)
    ToMany("previous", \.previous, onDelete: .cascade)
  }
}

/// An entity that creates its schema again at each use.
private struct Worker: Entity {
  var name = ""
  var boss: Ref<Worker>?
  var staff: Many<Worker> { Many(\.boss) }

  static var schema: Schema<Worker> {
    Schema<Worker>("Worker") {
      Attribute("name", \.name)
      ToOne("boss", \.boss)
      ToMany("staff", \.staff)
    }
  }
}
