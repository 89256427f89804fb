import Foundation
import Lineage
import Synchronization
import TestSupport
import Testing

// The samples of the articles, to the letter but for their indentation; `ArticleSampleTests` sees
// to that. Each runs, and what the article says of it is checked behind it.

@Suite("The articles", .hangGuard)
@MainActor
struct ArticleTests {
  struct Card: Entity {
    var question = ""
    var rightCount = 0
    var due: Date?
    var kind = Kind.plain
    var deck: Ref<Deck>?

    enum Kind: String { case plain, cloze }

    var problems: [Problem] {
      question.isEmpty ? [Problem("question", "must not be empty")] : []
    }

    static let schema = Schema<Card>("Card") {
      Attribute("question", \.question)
      Attribute("rightCount", \.rightCount, indexed: true)
      Attribute("due", \.due)
      Attribute("kind", \.kind)
      ToOne("deck", \.deck)
    }
  }

  struct Deck: Entity {
    var name = ""
    var cards: Many<Card> { Many(\.deck) }
    static let schema = Schema<Deck>("Deck") {
      Attribute("name", \.name, unique: true)
      ToMany("cards", \.cards, onDelete: .cascade)
    }
  }

  private let folder: Folder
  private var url: URL { folder.url.appending(path: "cards.sqlite") }

  init() throws { folder = try Folder() }

  /// A context with one saved card in a deck.
  private func filled() throws -> (MemoryStore, ObjectContext, Object<Card>) {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()
    let card = try context.insert(Card(question: "2 + 2?"))
    card.deck = Object(Deck(name: "Sums"))
    try context.save()
    return (store, context, card)
  }
}

// MARK: - ObjectGraph

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

  @Test("Declaring, fetching, branching, saving")
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

    context.conflictPolicy = .resolve { conflict in
      conflict.properties == ["rightCount"] ? .mine : .theirs
    }
    let other = store.makeContext()
    try other.object(with: id).rightCount = 7
    try other.save()
    card.rightCount = 5
    try context.save()
    #expect(try store.makeContext().object(with: id).rightCount == 5)
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
    // A to-one property whose target has no to-many property for it.
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
      context.onFault = { fault in faults.withLock { $0.append("\(fault.reason)") } }
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

    let request = FetchRequest<Card>(
      where: { $0.deck.cards.count > 10 }, sort: { $0.question }, prefetch: { $0.deck })
    let data = try JSONEncoder().encode(request)
    let again = try JSONDecoder().decode(FetchRequest<Card>.self, from: data)
    #expect(again == request)
    #expect(try context.fetch(again) == [])

    let best = try context.maximum(Card.self, of: { $0.rightCount }, where: { $0.deck == sums })
    #expect(best == 0)
    // Nil is a value of == and !=, and neither less nor greater than anything.
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

// MARK: - SQLiteStore

extension ArticleTests {
  @Test("SQLiteStore, and its tables")
  func file() async throws {
    let url = url

    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let context = store.makeContext()

    let card = try context.insert(Card(question: "2 + 2?"))
    card.due = Date(timeIntervalSince1970: 1_795_262_400)
    try context.save()
    let damages = try await store.check()
    #expect(damages == [])
    store.close()
    let found = Mutex<[String]>([])
    let look = Migration(to: 2, "look") { file in
      let rows = try file.rows(
        "SELECT sql FROM sqlite_schema WHERE tbl_name = 'Card' AND sql IS NOT NULL"
          + " UNION ALL SELECT datetime(due + 978307200, 'unixepoch') FROM Card")
      found.withLock { $0 = rows.map { if case .text(let sql) = $0[0] { sql } else { "" } } }
    }
    _ = try await SQLiteStore.open(at: url, [Card.self, Deck.self], migrations: [look])
    let sql = found.withLock { $0 }
    #expect(sql.last == "2026-11-21 12:00:00")
    let article = try ArticleSampleTests.lines(of: "SQLiteStore/SQLiteStore.docc/TheFile.md", "sql")
    #expect(article == ArticleSampleTests.lines(sql.dropLast().joined(separator: ";\n") + ";"))
  }

  @Test("Opening")
  func opening() async throws {
    var said: [String] = []
    func welcome(_ store: SQLiteStore) { said.append("welcome") }
    func show(_ store: SQLiteStore) { said.append("show") }
    func tell(_ message: String) { said.append(message) }
    func offerBackup(_ message: String) { said.append("damaged") }
    let url = url
    for _ in 0..<2 {
      switch await SQLiteStore.opening(at: url, [Card.self, Deck.self]) {
      case .created(let store): welcome(store)
      case .ready(let store), .migrated(let store, _), .readOnly(let store): show(store)
      case .newer: tell("Please update this program.")
      case .damaged(let message): offerBackup(message)
      case let refusal: tell("\(refusal)")
      }
    }
    #expect(said == ["welcome", "show"])
  }

  enum Former {
    struct Card: Entity {
      var question = ""
      var rightCount = 0
      var due: Date?
      var kind = ArticleTests.Card.Kind.plain
      var deck: Ref<Deck>?
      var hint: Ref<Hint>?
      static let schema = Schema<Card>("Card") {
        Attribute("question", \.question)
        Attribute("rightCount", \.rightCount, indexed: true)
        Attribute("due", \.due)
        Attribute("kind", \.kind)
        ToOne("deck", \.deck)
        ToOne("hint", \.hint)
      }
    }

    struct Deck: Entity {
      var name = ""
      static let schema = Schema<Deck>("Deck") { Attribute("name", \.name, unique: true) }
    }

    struct Hint: Entity {
      var text = ""
      static let schema = Schema<Hint>("Hint") { Attribute("text", \.text) }
    }
  }

  @Test("Migrations")
  func migrating() async throws {
    let url = url
    let former = try await SQLiteStore.open(
      at: url, [Former.Card.self, Former.Deck.self, Former.Hint.self])
    let context = former.makeContext()
    try context.insert(Former.Card(question: "2 + 2?", rightCount: 3))
    try context.save()
    former.close()
    guard case .changed(let changes) = await SQLiteStore.opening(at: url, [Card.self, Deck.self])
    else {
      Issue.record("not refused")
      return
    }
    #expect(changes.count == 2)

    let migrations = [
      Migration(to: 2, "score in percent") { file in
        try file.execute("UPDATE Card SET rightCount = rightCount * 100 / 3")
      },
      Migration(to: 3, "forget hints") { file in
        try file.removeProperty("hint", of: "Card")
        try file.removeEntity("Hint")
      },
    ]
    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self], migrations: migrations)

    #expect(try store.makeContext().values(Card.self).map(\.rightCount) == [100])
  }
}

// MARK: - ResponderChain

extension ArticleTests {
  final class ListController: Controller {}

  struct Theme: Context, Equatable, Sendable { var ink = "black" }

  nonisolated static func openStore() async throws -> sending ObjectContext {
    try MemoryStore([Card.self, Deck.self]).makeContext()
  }

  @Test("ResponderChain")
  func responderChain() async throws {
    let openStore = Self.openStore

    let application = Application()
    let list = ListController()
    try application.append(list)

    application.load(ObjectContext.self) { try await openStore() }  // arrives when it is ready
    list.branch(ObjectContext.self)  // works in a child of it
    let objects = try await list.context(whenReady: ObjectContext.self)

    #expect(objects.parent === application.context(ObjectContext.self))
  }

  nonisolated final class CardController: Controller {
    @Inherited var theme: Theme?
    override func didAttach() { branch(ObjectContext.self) }
  }

  @Test("In a module that is on the main actor by default")
  func mainActor() throws {
    var heard: [String] = []
    func show(_ responder: Responder) { heard.append(responder.label) }
    func repaint(_ theme: Theme?) { heard.append(theme?.ink ?? "no ink") }

    let controller = Controller()
    controller.onAttach = { controller in show(controller) }
    let token = controller.observe(Theme.self) { me, theme in repaint(theme.value) }

    let application = Application()
    application.provide(Theme())
    try application.append(controller)
    #expect(
      heard == ["no ink", "Controller", "black"] || heard == ["no ink", "black", "Controller"])
    token.end()
    let card = CardController()
    try application.append(card)
    #expect(card.theme == Theme() && card.slots.count == 1)
  }
}

// MARK: - Lineage

extension ArticleTests {
  @Test("Lineage")
  func lineage() async throws {
    let url = url

    let application = Application()
    let editor = Controller()
    try application.append(editor)
    editor.branch(ObjectContext.self)  // works in a child of what it inherits
    application.openStore(at: url, [Card.self, Deck.self])  // opens elsewhere, arrives later

    let context = try await editor.context(whenReady: ObjectContext.self)
    try context.insert(Card(question: "2 + 2?"))
    try context.saveAll()

    #expect(try application.require(ObjectContext.self).count(Card.self) == 1)
  }

  final class PushedScreen: Controller {
    private(set) var list: LiveList<Card>?

    override init() {
      super.init()
      follow(ObjectContext.self)
    }

    override func contextDidChange(_ key: any ContextKey.Type) {
      attempt {
        list = try context(ObjectContext.self).map { try LiveList(FetchRequest(), in: $0) }
      }
    }
  }

  final class AskingScreen: Controller {
    @Inherited var objects: ObjectContext?

    func countCards() throws -> Int { try objects?.count(Card.self) ?? 0 }
  }

  @Test("Passing the baton or walking the chain", arguments: Strategy.allCases)
  func ways(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    let (pushed, asking) = (PushedScreen(), AskingScreen())
    try application.append(pushed)
    try application.append(asking)
    #expect(try pushed.list == nil && asking.countCards() == 0)
    let (_, context, _) = try filled()
    application.provide(context)
    #expect(try pushed.list?.count == 1 && asking.countCards() == 1)
    try application.withdraw(ObjectContext.self)
    #expect(try pushed.list == nil && asking.countCards() == 0)
  }

  struct Account: Context, Equatable, Sendable { var name = "" }

  @Test("When the store is late")
  func late() async throws {
    let url = url

    let application = Application()
    application.openStore(at: url, [Card.self, Deck.self])
    let isPending = application.context(ObjectContext.self) == nil  // for the moment

    #expect(isPending)
    let (splash, button) = (Controller(), View())
    try application.append(splash)
    splash.rootView = button

    let token = splash.observe(StoreOpening.self) { splash, opening in
      splash.name = opening.value.map { "\($0.phase)" }  // waiting, opening, ready, failed: …
    }

    #expect(splash.name == "waiting")
    _ = try await button.context(whenReady: ObjectContext.self)
    #expect(splash.name == "ready")
    token.end()
    let outcome = button.send(RetryOpening())  // from anywhere in the tree
    #expect(outcome.isHandled)
    @Sendable func logIn() async throws -> Account { Account(name: "Ada") }

    application.load(Account.self) { try await logIn() }
    let delivery = application.expect(Theme.self)
    delivery.deliver(Theme(ink: "green"))  // from any thread; false if nobody expects it any more

    #expect(try await button.context(whenReady: Account.self).name == "Ada")
    #expect(try await button.context(whenReady: Theme.self).ink == "green")
    #expect(!delivery.deliver(Theme()))
    _ = try await button.context(whenReady: ObjectContext.self)
    // Too slow: the deadline ends the wait, not what is waited for.
    _ = application.expect(Theme.self)
    do {
      _ = try await button.context(whenReady: Theme.self, within: .milliseconds(1))
      Issue.record("not overdue")
    } catch let error as ContextError {
      #expect(error.isOverdue)
    }
  }

  @Test("Contexts in controllers")
  func controllers() async throws {
    let (application, deck) = (Application(), Controller())
    let (_, context, _) = try filled()
    application.provide(context)
    try application.append(deck)

    let editor = Controller()
    editor.branch(ObjectContext.self)
    try deck.append(editor)
    let draft = try editor.require(ObjectContext.self)  // a child of what deck has
    try draft.insert(Card(question: "2 + 2?"))  // deck's lists do not show it yet

    #expect(draft.parent === context)
    #expect(try context.count(Card.self) == 1)
    try draft.insert(Card())

    deck.onFailure { deck, failure in
      guard failure.error is GraphError else { return .declined }  // on to the next one above
      deck.name = "\(failure.error)"
      return .handled
    }
    editor.attempt { try draft.saveAll() }

    #expect(deck.name?.contains("must not be empty") == true)
    #expect(throws: GraphError.self) { try editor.leave(.save) }
    #expect(editor.nextResponder === deck)
    let empty = try #require(try draft.fetch(Card.self, where: { $0.question == "" }).first)
    try draft.delete(empty)

    try editor.leave(.save)  // into deck's context; or .discard

    #expect(editor.nextResponder == nil && context.hasUnsavedChanges)
    #expect(try context.count(Card.self) == 2)
    try context.save()

    try application.append(editor)
    editor.branch(ObjectContext.self)
    let again = try editor.require(ObjectContext.self)
    try again.insert(Card(question: "half typed"))
    var asked: [String] = []
    func ask(_ question: String, _ responder: Responder) { asked.append(question) }

    application.onDrift = { drift in
      guard drift.hasUnsavedChanges else { return }
      ask("Save the changes of the account before?", drift.responder)
    }

    let bobsFile = url

    application.openStore(at: bobsFile, [Card.self, Deck.self])

    #expect(deck.context(ObjectContext.self) == nil)
    #expect(editor.context(ObjectContext.self) === again)
    let root = try await deck.context(whenReady: ObjectContext.self)
    #expect(asked.count == 1 && editor.context(ObjectContext.self) === again)
    try again.saveAll()
    #expect(try editor.require(ObjectContext.self).parent === root)
    #expect(try context.count(Card.self) == 3)
  }

  final class ListScreen: Controller {
    private(set) var list: LiveList<Card>?
    private var token: ContextObservation?

    override init() {
      super.init()
      token = observe(ObjectContext.self) { screen, context in
        screen.attempt {
          screen.list = try context.value.map { try LiveList(FetchRequest(), in: $0) }
        }
      }
    }
  }

  @Test("Lists")
  func lists() throws {
    let (_, context, card) = try filled()

    let due = FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question })
    let list = try LiveList(due, in: context, sections: { $0.deck.name })
    var rows = list.sections.map { list[$0.rows].map(\.question) }
    let token = list.observe { list, changes in
      changes.apply(to: &rows) { list[$0].question }
    }

    try context.insert(Card(question: "1 + 1?"))
    #expect(rows == [["1 + 1?"], ["2 + 2?"]] && list.sections.map(\.name) == ["", "Sums"])
    card.rightCount = 3
    #expect(rows == [["1 + 1?"]])
    token.cancel()
    try context.save()

    let window = try WindowedList(
      FetchRequest<Card>(sort: { $0.rightCount.descending }), in: context, capacity: 100)
    let found = try window.loadLater()  // scroll on: how many there were
    let total = try window.total()  // of the store, counted when asked

    #expect(window.count == 2 && found == 0 && total == 2)
    #expect(throws: GraphError.self) {
      try WindowedList(FetchRequest<Card>(sort: { $0.question }), in: context)
    }
    let (application, screen) = (Application(), ListScreen())
    try application.append(screen)
    application.provide(context)
    #expect(screen.list?.count == 2)
  }

  @Test("Background work")
  func background() async throws {
    let questions = (0..<250).map { "\($0)?" }
    let reports = Mutex<[Int]>([])
    @Sendable func report(_ completed: Int, _ total: Int?) {
      reports.withLock { $0.append(completed) }
    }
    let url = url
    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let application = Application()
    application.provide(store.makeContext())

    let count = try await store.background(progress: { progress in
      report(progress.completed, progress.total)  // on the store's thread
    }) { context, progress in
      for (number, question) in questions.enumerated() {
        try context.insert(Card(question: question))
        guard number % 100 == 99 else { continue }
        try context.save()  // a batch: what is saved stays
        try progress.report(number + 1, of: questions.count)  // throws if cancelled
      }
      return questions.count
    }

    #expect(count == 250 && reports.withLock { $0 } == [100, 200])
    #expect(try store.makeContext().count(Card.self) == 250)
    func again() async throws -> SQLiteStore {
      let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
      return store
    }
    #expect(try await again() === store)
  }

  func add(_ question: String, to store: SQLiteStore) async throws -> Int {
    let application = Application()
    application.provide(store.makeContext())
    let handler = Controller()
    try application.append(handler)
    handler.branch(ObjectContext.self)
    let context = try handler.require(ObjectContext.self)
    try context.insert(Card(question: question))
    try context.saveAll()
    return try context.count(Card.self)
  }

  actor Session {
    private let application: Application

    init(_ store: SQLiteStore) {
      let application = Application()
      application.provide(store.makeContext())
      self.application = application
    }

    func cards() throws -> [Card] {
      application.drain()
      return try application.require(ObjectContext.self).values(Card.self)
    }
  }

  @Test("Lineage on a server")
  func server() async throws {
    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let session = Session(store)
    #expect(try await session.cards().isEmpty)
    #expect(try await add("2 + 2?", to: store) == 1)
    #expect(try await session.cards().map(\.question) == ["2 + 2?"])
  }
}
