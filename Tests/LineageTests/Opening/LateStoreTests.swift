import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// Tests of a store that opens at once, late, never or at the second attempt, while the tree
/// changes.
@Suite("A late store", .hangGuard)
@MainActor
struct LateStoreTests {
  enum Opening: CaseIterable {
    case atOnce, late, muchLater, fails, failsThenSucceeds, isCancelled
  }

  private struct NoDisk: Error {}

  /// A screen with a list of the cards in its context. It logs the number of cards, or why it has
  /// no context.
  private final class ListScreen: Controller {
    var log: [String] = []
    var list: LiveList<LibraryCard>?

    override init() {
      super.init()
      watch(ObjectContext.self)
    }

    override func contextDidChange(_ key: any ContextKey.Type) {
      list = attempt {
        try LiveList(
          FetchRequest<LibraryCard>(sort: { $0.question }), in: require(ObjectContext.self))
      }
      log.append(resolve(ObjectContext.self).value == nil ? state : "\(list?.count ?? -1) cards")
    }

    private var state: String {
      switch resolve(ObjectContext.self) {
      case .pending: "waits"
      case .failed: "failed"
      case .missing: "missing"
      case .blocked: "blocked"
      case .value: "value"
      }
    }
  }

  @Test(
    "ends for every screen as if it had been there at first", arguments: Strategy.allCases,
    Opening.allCases)
  func opens(_ strategy: Strategy, _ opening: Opening) async throws {
    let store = try MemoryStore(Library.entities)
    let filled = store.makeContext()
    try filled.insert(LibraryCard("2 + 2?"))
    try filled.save()

    let application = Application(strategy: strategy)
    application.onFailure { _, _ in .handled }
    let (early, editor) = (ListScreen(), ListScreen())
    try application.append(early)
    try early.append(editor)
    editor.branch(ObjectContext.self)

    let gate = Gate()
    if opening == .atOnce { await gate.open() }
    load(
      store, into: application, after: gate,
      fails: opening == .fails || opening == .failsThenSucceeds)
    let waiter = Task { try await editor.context(whenReady: ObjectContext.self).parent != nil }
    let late = ListScreen()
    switch opening {
    case .late, .fails, .failsThenSucceeds:
      try application.append(late)
    case .muchLater:
      // The screen is attached, detached and attached again before the store opens.
      let detached = Controller()
      try detached.append(late)
      try early.append(detached)
      detached.removeFromParent()
      try application.append(detached)
      application.drain()
    case .atOnce, .isCancelled: break
    }
    if opening == .isCancelled {
      try application.withdraw(ObjectContext.self)
      application.drain()
      #expect(editor.resolve(ObjectContext.self).value == nil)
      #expect(early.log.last == "missing")
      let second = Gate()
      await second.open()
      load(store, into: application, after: second, fails: false)
    }
    await gate.open()
    if opening == .fails || opening == .failsThenSucceeds {
      await #expect(throws: NoDisk.self) { try await waiter.value }
      #expect(early.log.last == "failed" && late.log.last == "failed")
      if opening == .fails { return }
      load(store, into: application, after: gate, fails: false)
      _ = try await editor.context(whenReady: ObjectContext.self)
    } else {
      #expect(try await waiter.value)
    }
    if late.nextResponder == nil { try application.append(late) }
    application.drain()

    let root = try application.require(ObjectContext.self)
    for screen in [early, late] {
      #expect(try screen.require(ObjectContext.self) === root)
      #expect(screen.list?.map(\.question) == ["2 + 2?"])
    }
    let draft = try editor.require(ObjectContext.self)
    #expect(draft.parent === root)
    try draft.insert(LibraryCard("1 + 1?"))
    #expect(editor.list?.map(\.question) == ["1 + 1?", "2 + 2?"] && early.list?.count == 1)
    try draft.saveAll()
    #expect(early.list?.map(\.question) == ["1 + 1?", "2 + 2?"] && late.list?.count == 2)
  }

  private func load(
    _ store: MemoryStore, into application: Application, after gate: Gate, fails: Bool
  ) {
    application.load(ObjectContext.self) {
      await gate.pass()
      if fails { throw NoDisk() }
      return store.makeContext()
    }
  }
}
