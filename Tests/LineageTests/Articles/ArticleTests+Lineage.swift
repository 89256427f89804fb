import Lineage
import Synchronization
import Testing

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
      watch(ObjectContext.self)
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
    let (splash, button) = (Controller(), ViewResponder())
    try application.append(splash)
    try splash.setRootView(button)

    splash.onChange(of: StoreOpening.self) { splash, opening in
      splash.debugName = opening.value.map { "\($0.phase)" }  // waiting, opening, ready, failed: …
    }

    #expect(splash.debugName == "waiting")

    let context = try await button.context(whenReady: ObjectContext.self)
    button.debugName = "\(try context.count(Card.self)) cards"

    #expect(splash.debugName == "ready" && button.debugName == "0 cards")
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
    // The deadline ends the wait, but the slot stays pending.
    _ = application.expect(Theme.self)
    do {
      _ = try await button.context(whenReady: Theme.self, within: .milliseconds(1))
      Issue.record("not overdue")
    } catch let error as ContextError {
      #expect(error.isOverdue)
    }
  }

  @Test("When another kind of store is late")
  func lateByClosure() async throws {
    let (url, application) = (url, Application())
    @Sendable func slowDisk() async throws { try await Task.sleep(for: .milliseconds(1)) }

    application.openStore(at: url) { progress in
      try await slowDisk()
      return try await SQLiteStore.open(at: url, [Card.self, Deck.self], progress: progress)
        .makeContext()
    }

    #expect(application.context(ObjectContext.self) == nil)
    let context = try await application.context(whenReady: ObjectContext.self)
    #expect(context.sqliteStore?.url == url)
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
    let editing = try editor.require(ObjectContext.self)  // a child of what deck has
    try editing.insert(Card(question: "2 + 2?"))  // deck's lists do not show it yet

    #expect(editing.parent === context)
    #expect(try context.count(Card.self) == 1)

    let dialog = Controller()
    dialog.branch(ObjectContext.self)
    try deck.present(dialog)  // deck.presented, and not among deck's children
    #expect(deck.presented === dialog && deck.children.count == 1)

    let typed = try dialog.require(ObjectContext.self)
    try typed.insert(Card(question: "3 + 3?"))
    #expect(typed.parent === context)
    try dialog.leave(.discard)  // cancel; .saveAll is the other button

    #expect(deck.presented == nil && !typed.hasUnsavedChanges)
    try deck.present(dialog)
    deck.dismiss()
    #expect(dialog.presenter == nil)
    try editing.insert(Card())

    deck.onFailure { deck, failure in
      guard failure.error is GraphError else { return .declined }  // on to the next one above
      deck.debugName = "\(failure.error)"
      return .handled
    }
    editor.attempt { try editing.saveAll() }

    #expect(deck.debugName?.contains("must not be empty") == true)
    #expect(throws: GraphError.self) { try editor.leave(.saveAll) }
    #expect(editing.hasUnsavedChanges && !context.hasUnsavedChanges)
    #expect(editor.nextResponder === deck)
    let empty = try #require(try editing.fetch(Card.self, where: { $0.question == "" }).first)
    try editing.delete(empty)

    try editor.leave(.saveAll)  // into the store; or .save, into deck's context; or .discard

    #expect(editor.nextResponder == nil && !context.hasUnsavedChanges)
    #expect(try context.count(Card.self) == 2)

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

    override init() {
      super.init()
      onChange(of: ObjectContext.self) { screen, context in
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

    let path = list.indexPath(of: card)
    let row = try window.position(of: card) ?? window.jump(to: card)

    #expect(path == nil && row == 0)
    #expect(throws: GraphError.self) {
      try WindowedList(FetchRequest<Card>(sort: { $0.question }), in: context)
    }
    let (application, screen) = (Application(), ListScreen())
    try application.append(screen)
    application.provide(context)
    #expect(screen.list?.count == 2)
  }

  final class CardTable: Controller {
    @Restorable("selection") var selection: Object<Card>?
    @Restorable("marked") var marked: [Object<Card>] = []
    @Restorable("scroll") var scroll = ListPlace<Card>()  // and its index, before the store is open
  }

  @Test("Rows in an archive")
  func rowsInAnArchive() throws {
    let (_, context, card) = try filled()
    let application = Application()
    application.provide(context)
    application.launch()
    let table = CardTable()
    table.restorationIdentifier = "cards"
    try application.append(table)
    table.selection = card
    table.marked = [card]
    table.scroll = ListPlace(at: 0, in: try LiveList(FetchRequest(), in: context))
    let restoration = Restoration {
      Kind("cards", CardTable.init)
      ContextName.objects
    }
    let again = try restoration.rehearse(from: application) {
      let next = Application()
      next.provide(context)
      return next
    }
    let restored = try #require(again.children.first as? CardTable)
    #expect(restored.selection === card && restored.marked.count == 1)
    #expect(restored.scroll.object === card)
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

    try await store.background { context, _ in
      context.conflictPolicy = .theirs
      for card in try context.fetch(Card.self, where: { $0.rightCount == 0 }) {
        card.rightCount = 1
      }
    }

    #expect(try store.makeContext().count(Card.self, where: { $0.rightCount == 1 }) == 250)
    try await store.background { context, _ in _ = try context.insert(Card(question: "2 + 2?")) }
    #expect(try store.makeContext().count(Card.self) == 251)
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
