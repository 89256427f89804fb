import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Deletions are put back")
struct DeletionTests {
  /// A context with a saved deck of two cards, and a learner who likes the first card.
  private struct Filled {
    let opened: OpenStore
    let context: ObjectContext
    let deck: Object<Deck>
    let cards: [Object<Card>]
    let learner: Object<Learner>

    init(_ stores: Stores) async throws {
      opened = try await stores.open(Library.entities + [Memo.self, Tally.self, Slip.self])
      context = opened.makeContext()
      deck = try context.insert(Deck("Sums"))
      cards = try ["1 + 1?", "2 + 2?"].map { [context] in try context.insert(Card($0)) }
      learner = try context.insert(Learner("Ann"))
      for card in cards { card.deck = deck }
      learner.favourite = cards[0]
      try context.save()
    }

    /// Returns the names of all decks, the questions in the first one, and the favourites.
    func stored() throws -> [String] { try Self.names(opened.makeContext()) }

    static func names(_ context: ObjectContext) throws -> [String] {
      let decks = try context.fetch(Deck.self, sort: { $0.name })
      return decks.map(\.name) + (decks.first?.cards.map(\.question) ?? [])
        + (try context.fetch(Learner.self).compactMap { $0.favourite?.question })
    }

    static let all = ["Sums", "1 + 1?", "2 + 2?", "1 + 1?"]
  }

  private func problems(_ body: () throws -> Void) -> [String] {
    guard case .invalid(let objects)? = reason(body) else { return ["another error or none"] }
    return objects.map(\.description)
  }

  @Test("A deletion tells what it has deleted, by entity", arguments: Stores.all)
  func contents(_ stores: Stores) async throws {
    let world = try await Filled(stores)
    let nothing = try world.context.delete([GraphObject]())
    #expect(nothing.isEmpty)
    try nothing.putBack()
    let deletion = try world.context.delete(world.deck)
    #expect(!deletion.isEmpty && deletion.ids(of: Deck.self) == [world.deck.id])
    #expect(Set(deletion.ids(of: Card.self)) == Set(world.cards.map(\.id)))
    #expect(deletion.ids(of: Learner.self).isEmpty)
    #expect(try world.context.delete([world.deck]).isEmpty)
    world.context.discard()
  }

  @Test(
    "Objects and emptied references come back, with ids and values, before and after the save",
    arguments: [true, false], Stores.all)
  func comesBack(isSaved: Bool, _ stores: Stores) async throws {
    let world = try await Filled(stores)
    let context = world.context
    world.cards[1].rightCount = 7
    let deletion = try context.delete(world.deck)
    if isSaved { try context.save() }
    #expect(try isSaved ? world.stored() == [] : world.stored() == Filled.all)
    try deletion.putBack()
    #expect(!world.deck.isDeleted && world.deck.cards == world.cards)
    #expect(world.learner.favourite === world.cards[0] && world.cards[1].rightCount == 7)
    #expect(isSaved || world.cards[1].changes.properties == ["rightCount"])
    try context.save()
    let other = world.opened.makeContext()
    #expect(try Filled.names(other) == Filled.all)
    #expect(try other.object(with: world.cards[1].id).rightCount == 7)
    #expect(!context.hasUnsavedChanges && context.checkInvariants())
  }

  @Test("Without other changes, nothing is unsaved after a deletion was put back before the save")
  func reverted() async throws {
    let world = try await Filled(.memory)
    let deletion = try world.context.delete(world.deck)
    try deletion.putBack()
    #expect(!world.context.hasUnsavedChanges && world.deck.changes.isEmpty)
  }

  @Test("A reference is set only if it is still nil and its object still exists")
  func references() async throws {
    for change in 0..<3 {
      let world = try await Filled(.memory)
      let context = world.context
      let deletion = try context.delete(world.cards[0])
      switch change {
      case 0: world.learner.favourite = world.cards[1]
      case 1: try context.delete(world.learner)
      default: world.learner.name = "Bob"
      }
      try context.save()
      try deletion.putBack()
      try context.save()
      let other = world.opened.makeContext()
      let favourites = try other.fetch(Learner.self)
        .map { "\($0.name) \($0.favourite?.question ?? "none")" }
      #expect(favourites == [["Ann 2 + 2?"], [], ["Bob 1 + 1?"]][change])
    }
  }

  @Test("The links of many-to-many properties come back in their order", arguments: Stores.all)
  func links(_ stores: Stores) async throws {
    let world = try await Filled(stores)
    let tally = try world.context.insert(Tally("t"))
    for card in world.cards { try tally.cards.insert(card, at: 0) }
    try world.context.save()
    let byCard = try world.context.delete(world.cards[0])
    try world.context.save()
    #expect(Array(tally.cards) == [world.cards[1]] && byCard.ids(of: Slip.self).count == 1)
    try byCard.putBack()
    #expect(Array(tally.cards) == [world.cards[1], world.cards[0]])
    try world.context.save()
    let byTally = try world.context.delete(tally)
    try world.context.save()
    try byTally.putBack()
    try world.context.save()
    let other = world.opened.makeContext()
    let stored = try other.object(with: tally.id)
    #expect(stored.cards.map(\.question) == ["2 + 2?", "1 + 1?"])
  }

  @Test("An object that was never saved comes back as a new one", arguments: 0..<3)
  func neverSaved(end: Int) async throws {
    let store = ClockedStore(try MemoryStore([Memo.self]))
    let context = ObjectContext(store: store)
    let memo = try context.insert(Memo(title: "m"))
    let deletion = try context.delete(memo)
    if end == 1 { try context.save() }
    if end == 2 { context.discard() }
    try deletion.putBack()
    #expect(try context.object(with: memo.id).changes.kind == .inserted)
    try context.save()
    #expect(try ObjectContext(store: store).object(with: memo.id).created != nil)
  }

  @Test("A save sees objects that come back after a commit as not new", arguments: [true, false])
  func notNew(inChild: Bool) async throws {
    let store = ClockedStore(try MemoryStore([Memo.self]))
    let root = ObjectContext(store: store)
    let memo = try root.insert(Memo(title: "m"))
    try root.save()
    let context = inChild ? root.makeChild() : root
    let created = memo.created
    let deletion = try context.delete(context.object(with: memo.id))
    try context.saveAll()
    try deletion.putBack()
    try context.saveAll()
    let stored = try ObjectContext(store: store).object(with: memo.id)
    #expect(stored.created == created && stored.saves == 2)
  }

  @Test("A child's deletion of an object that was never saved is put back as new")
  func newAbove() async throws {
    let store = ClockedStore(try MemoryStore([Memo.self]))
    let root = ObjectContext(store: store)
    let child = root.makeChild()
    let id = try root.insert(Memo(title: "m")).id
    let deletion = try child.delete(child.object(with: id))
    try child.saveAll()
    try deletion.putBack()
    try child.saveAll()
    #expect(try ObjectContext(store: store).object(with: id).created != nil)
  }

  @Test("An id, a unique value or a missing owner refuses all, in one error", arguments: Stores.all)
  func refused(_ stores: Stores) async throws {
    let world = try await Filled(stores)
    let context = world.context
    let deletion = try context.delete([world.deck, world.cards[0]] as [GraphObject])
    try context.save()
    let other = world.opened.makeContext()
    try other.insert(Object(Card("again"), id: world.cards[0].id))
    let rival = try other.insert(Deck("Sums"))
    try other.save()
    let name = "Deck/\(world.deck.id.key): name is taken by another Deck"
    #expect(
      problems { try deletion.putBack() } == [name, "Card/\(world.cards[0].id.key): id is taken"])
    #expect(!context.hasUnsavedChanges && world.deck.isDeleted && world.learner.favourite == nil)
    // An unsaved object counts, too.
    try other.delete(rival)
    try other.delete(other.object(with: world.cards[0].id))
    try other.save()
    try context.merge()
    let mine = try context.insert(Deck("Sums"))
    #expect(
      problems { try deletion.putBack() }
        == ["Deck/\(world.deck.id.key): name is taken by another Deck"])
    mine.name = "Other"
    try deletion.putBack()
    #expect(problems { try deletion.putBack() }.count == 3)
    try context.save()
    #expect(try Set(world.stored()) == ["Other", "Sums", "1 + 1?"])
  }

  @Test("A card whose deck was deleted later comes back after its deck")
  func missingOwner() async throws {
    let world = try await Filled(.memory)
    let context = world.context
    let card = try context.delete(world.cards[0])
    try context.save()
    let deck = try context.delete(world.deck)
    try context.save()
    let missing = "deck leads to a Deck that is missing"
    #expect(problems { try card.putBack() } == ["Card/\(world.cards[0].id.key): \(missing)"])
    let text = "could not put Card/\(world.cards[0].id.key) back: Card"
    do { try card.putBack() } catch { #expect("\(error)".hasPrefix(text)) }
    try deck.putBack()
    try card.putBack()
    try context.save()
    #expect(try world.stored() == Filled.all)
  }

  @Test("After a discard or an undo there is nothing to put back, and the error says so")
  func discarded() async throws {
    let world = try await Filled(.memory)
    let deletion = try world.context.delete(world.cards[1])
    world.context.discard()
    #expect(problems { try deletion.putBack() } == ["Card/\(world.cards[1].id.key): id is taken"])
  }

  @Test("It is one step of undo, and one change for lists and observers", arguments: Stores.all)
  func oneOperation(_ stores: Stores) async throws {
    let world = try await Filled(stores)
    let context = world.context
    let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: context)
    var changes: [Int] = []
    let token = list.observe { list, _ in changes.append(list.count) }
    let deletion = try context.delete(world.deck)
    try context.save()
    changes = []
    context.recordsUndo = true
    try deletion.putBack()
    #expect(changes == [2])
    context.undo()
    #expect(changes == [2, 0] && !context.canUndo && world.learner.favourite == nil)
    #expect(world.deck.isDeleted && !context.hasUnsavedChanges)
    context.redo()
    #expect(changes == [2, 0, 2] && world.learner.favourite === world.cards[0])
    try context.save()
    #expect(try world.stored() == Filled.all)
    _ = token
  }

  @Test("What was put back can be discarded, and put back again", arguments: Stores.all)
  func discardedAgain(_ stores: Stores) async throws {
    let world = try await Filled(stores)
    let deletion = try world.context.delete(world.deck)
    try world.context.save()
    for _ in 0..<2 {
      try deletion.putBack()
      world.context.discard()
      #expect(world.deck.isDeleted && world.learner.favourite == nil)
    }
    try deletion.putBack()
    try world.context.save()
    #expect(try world.stored() == Filled.all)
  }

  @Test(
    "In nested contexts it comes back in the child or in the parent, before and after saves",
    arguments: [0, 1, 2], [true, false])
  func nested(saves: Int, inParent: Bool) async throws {
    let world = try await Filled(.memory)
    let root = world.context
    let child = root.makeChild()
    let deletion = try child.delete(child.object(with: world.deck.id))
    if saves > 0 { try child.save() }
    if saves > 1 { try root.save() }
    if inParent, saves == 0 {
      #expect(problems { try deletion.putBack(in: root) }.count == 3)
      return child.discard()
    }
    try deletion.putBack(in: inParent ? root : child)
    #expect(try Filled.names(child) == Filled.all)
    try child.saveAll()
    #expect(try world.stored() == Filled.all && Filled.names(root) == Filled.all)
    #expect(!child.hasUnsavedChanges && !root.hasUnsavedChanges)
  }

  @Test("The deletion of an edit comes back in another context of the store", arguments: Stores.all)
  func edits(_ stores: Stores) async throws {
    let world = try await Filled(stores)
    let deletion = try world.context.edit { try $0.delete($0.object(with: world.deck.id)) }
    #expect(refusal { try deletion.putBack() } == "ended")
    let elsewhere = try MemoryStore(Library.entities).makeContext()
    #expect(refusal { try deletion.putBack(in: elsewhere) } == "wrongStore")
    try world.context.edit { try deletion.putBack(in: $0) }
    #expect(try world.stored() == Filled.all && !world.deck.isDeleted)
    #expect(problems { try deletion.putBack(in: world.opened.makeContext()) }.count == 3)
  }

  @Test("Cycles and self references of 10,000 objects: a lookup for each, few queries")
  func manyObjects() throws {
    let store = CountingStore(try MemoryStore(Library.entities))
    let context = ObjectContext(store: store)
    let deck = try context.insert(Deck("d"))
    let cards = try (0..<10_000).map { try context.insert(Card("\($0)")) }
    for (index, card) in cards.enumerated() {
      card.deck = deck
      card.next = cards[index < 10 ? index : (index + 1) % cards.count]
    }
    try context.save()
    let deletion = try context.delete(deck)
    try context.save()
    _ = store.take()
    try deletion.putBack()
    let calls = store.take().calls
    #expect(calls == CountingStore.Calls(lookups: 10_001, queries: 1))
    try context.save()
    #expect(try ObjectContext(store: store).count(Card.self, where: { $0.next != nil }) == 10_000)
  }

  @Test("Edits from before a deletion are saved with what is put back over the deletion above")
  func editedBefore() throws {
    let store = try MemoryStore(Library.entities)
    let context = store.makeContext()
    let (deck, card) = (try context.insert(Deck("d")), try context.insert(Card("old")))
    try context.save()
    let child = context.makeChild()
    let copy = try child.object(with: card.id)
    copy.question = "new"
    copy.deck = try child.object(with: deck.id)
    let deletion = try child.delete(copy)
    try child.save()
    try deletion.putBack()
    #expect(copy.question == "new" && copy.deck?.id == deck.id)
    try child.saveAll()
    let other = store.makeContext()
    let stored = try other.object(with: card.id)
    #expect(stored.question == "new" && stored.deck?.name == "d")
  }

  @Test("A deletion that nobody keeps retains nothing and reads nothing more")
  func unused() throws {
    let store = CountingStore(try MemoryStore(Library.entities))
    let context = ObjectContext(store: store)
    let cards = try (0..<10).map { try context.insert(Card("\($0)")) }.map(\.id)
    try context.save()
    let deletion = try context.delete(context.fetch(Card.self))
    try context.save()
    #expect(context.identityCount.ids == 10)
    _ = consume deletion
    #expect(context.identityCount.ids == 0 && cards.count == 10)
  }

  @Test("Kept changes bring back what was put back, and a receipt its save", arguments: Stores.all)
  func kept(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let id = try restart.card(in: restart.root).id
    let deletion = try restart.child.delete(restart.card(in: restart.child))
    try restart.child.saveAll()
    try deletion.putBack()
    try await restart.restart()
    let card = try restart.child.object(with: id)
    #expect(card.rightCount == 1 && card.changes.kind == .inserted)
    let archive = try restart.archive()
    try restart.child.saveAll()
    #expect(try restart.stored { try $0.object(with: id).question } == "a")
    try await restart.restart(from: archive)
    #expect(!restart.child.hasUnsavedChanges)
    #expect(try restart.child.object(with: id).question == "a")
  }
}
