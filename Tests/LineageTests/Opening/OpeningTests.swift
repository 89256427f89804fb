import Foundation
import Lineage
import LineageTestSupport
import Testing

struct Deck: Entity {
  var name = ""
  var cards: Many<Card> { Many(\.deck) }
  static let schema = Schema<Deck>("Deck") {
    Attribute("name", \.name, unique: true)
    ToMany("cards", \.cards, onDelete: .cascade)
  }
}

struct Card: Entity {
  var question = ""
  var rightCount = 0
  var deck: Ref<Deck>?
  static let schema = Schema<Card>("Card") {
    Attribute("question", \.question)
    Attribute("rightCount", \.rightCount)
    ToOne("deck", \.deck)
  }
}

@Suite("A store that opens while the tree is there", .hangGuard)
struct OpeningTests {
  @Test("The root context arrives, and a branch saves into it", arguments: Strategy.allCases)
  @MainActor
  func arrives(_ strategy: Strategy) async throws {
    let folder = try Drawer()
    let application = Application(strategy: strategy)
    let list = Controller()
    let editor = Controller()
    try application.append(list)
    try list.append(editor)
    editor.branch(ObjectContext.self)
    var phases: [String] = []
    let token = list.observe(StoreOpening.self) { _, opening in
      phases.append(opening.value.map { "\($0.phase)" } ?? "\(opening)")
    }
    application.openStore(at: folder.file("cards.sqlite"), [Card.self, Deck.self])
    let context = try await list.context(whenReady: ObjectContext.self)
    let draft = try editor.require(ObjectContext.self)
    #expect(draft.parent === context)
    #expect(phases.first == "missing" && phases.last == "ready")
    let deck = Object(Deck(name: "Sums"))
    let card = try draft.insert(Card(question: "2 + 2?"))
    card.deck = deck
    #expect(deck.cards == [card])
    #expect(try context.count(Card.self) == 0)
    try draft.save()
    #expect(try context.fetch(Card.self, where: { $0.deck.name == "Sums" }).count == 1)
    try context.save()
    #expect(try context.values(Card.self).map(\.question) == ["2 + 2?"])
    token.cancel()
  }

  @Test("A commit of a background context arrives through the mailbox")
  @MainActor
  func background() async throws {
    let folder = try Drawer()
    let url = folder.file("cards.sqlite")
    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let application = Application()
    application.provide(store.makeContext())
    let context = try application.require(ObjectContext.self)
    let card = try context.insert(Card(question: "old"))
    try context.save()
    let other = store.makeContext()
    try other.object(with: card.id).question = "new"
    try other.save()
    #expect(card.question == "old")
    application.drain()
    #expect(card.question == "new")
  }

  @Test("After a failure the tree is usable, and the action tries again")
  @MainActor
  func retry() async throws {
    let folder = try Drawer()
    let url = folder.file("cards.sqlite")
    try Data().write(to: url)
    let application = Application()
    let view = ViewResponder()
    try application.append(view)
    application.openStore(at: url, [Card.self, Deck.self])
    await #expect(throws: OpeningError.self) {
      _ = try await view.context(whenReady: ObjectContext.self)
    }
    #expect("\(try view.require(StoreOpening.self).phase)".contains("empty"))
    try FileManager.default.removeItem(at: url)
    #expect(view.send(RetryOpening()).isHandled)
    _ = try await view.context(whenReady: ObjectContext.self)
    #expect(try view.require(StoreOpening.self).phase == .ready)
  }

  @Test("A missing folder of the file is made, for its owner only")
  @MainActor
  func folder() async throws {
    let drawer = try Drawer()
    let application = Application()
    application.openStore(at: drawer.file("one/two/cards.sqlite"), [Card.self, Deck.self])
    let context = try await application.context(whenReady: ObjectContext.self)
    #expect(try context.count(Card.self) == 0)
    for name in ["one", "one/two"] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: drawer.file(name).path(percentEncoded: false))
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test("A folder that cannot be made is an error, and none is made if no file may be")
  @MainActor
  func noFolder() async throws {
    let drawer = try Drawer()
    try Data().write(to: drawer.file("file"))
    let application = Application()
    application.openStore(at: drawer.file("file/cards.sqlite"), [Card.self, Deck.self])
    let error = await #expect(throws: OpeningError.self) {
      _ = try await application.context(whenReady: ObjectContext.self)
    }
    let path = drawer.file("file").path(percentEncoded: false)
    #expect("\(error, default: "")".contains("could not make \(path)"))
    var options = StoreOptions()
    options.creates = false
    application.openStore(
      at: drawer.file("none/cards.sqlite"), [Card.self, Deck.self], options: options)
    await #expect(throws: OpeningError.self) {
      _ = try await application.context(whenReady: ObjectContext.self)
    }
    #expect(!FileManager.default.fileExists(atPath: drawer.file("none").path))
  }
}
