import Foundation
import LineageTestSupport
import ResponderChain
import Testing

@Suite("Following, inheriting, updates", .hangGuard)
@MainActor
struct FollowingTests {
  final class Card: Controller {
    @Inherited var notebook: Notebook?
    @Inherited(Archive.self) var archive: Notebook?
    var changes: [String] = []

    override func contextDidChange(_ key: any ContextKey.Type) { changes.append("\(key)") }
  }

  @Test("An inherited property is resolved at each read", arguments: Strategy.allCases)
  func inherited(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let card = Card()
    #expect(card.notebook == nil)
    try tree.left.append(card)
    tree.application.provide(Notebook("root"))
    tree.left.provide(Notebook("archive"), for: Archive.self)
    #expect(card.notebook?.name == "root")
    #expect(card.archive?.name == "archive")
    try card.move(to: tree.right)
    #expect(card.archive == nil)
  }

  @Test(
    "A responder is told of later changes of what it watches only",
    arguments: Strategy.allCases)
  func watch(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let card = Card()
    try tree.left.append(card)
    card.watch(Theme.self)
    card.watch(Theme.self)
    #expect(card.changes.isEmpty)
    tree.application.provide(Theme("dark"))
    tree.application.provide(Notebook("not watched"))
    tree.right.provide(Theme("elsewhere"))
    #expect(card.changes == ["Theme"])
    try card.move(to: tree.right)
    #expect(card.changes == ["Theme", "Theme"])
  }

  @Test("A watched key and an observer keep nothing alive", arguments: Strategy.allCases)
  func lifetime(_ strategy: Strategy) throws {
    let census = Census()
    let tree = try SmallTree(strategy)
    var page: Page? = Page("page", in: census)
    page?.watch(Theme.self)
    let token = page?.observe(Theme.self) { me, _ in _ = me.debugName }
    try tree.leaf.append(#require(page))
    tree.application.provide(Theme("dark"))
    page?.removeFromParent()
    page = nil
    #expect(census.population == 0)
    tree.application.provide(Theme("light"))
    withExtendedLifetime(token) {}
  }

  @Test(
    "onChange(of:) hears at once and on each change, as long as its responder lives",
    arguments: Strategy.allCases)
  func onChange(_ strategy: Strategy) throws {
    let census = Census()
    let tree = try SmallTree(strategy)
    let log = Log()
    var page: Page? = Page("page", in: census)
    try tree.leaf.append(#require(page))
    page?.onChange(of: Theme.self) { [citizen = Citizen(of: census)] me, theme in
      withExtendedLifetime(citizen) { log.lines.append("\(me.debugName ?? "") \(theme)") }
    }
    page?.onChange(of: Theme.self) { _, theme in log.lines.append("again \(theme)") }
    #expect(log.take() == ["page missing", "again missing"])
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["page value dark", "again value dark"])
    try page?.move(to: tree.right)
    tree.right.block(Theme.self)
    #expect(log.take() == ["page blocked", "again blocked"])
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    #expect(census.population == 2)
    page?.removeFromParent()
    page = nil
    #expect(census.population == 0, "its closures end with it")
    tree.right.provide(Theme("light"))
    #expect(log.take() == ["page missing", "again missing"])
  }

  @Test("What onChange(of:) changes in its first call joins the same round")
  func onChangeAtOnce() throws {
    let tree = try SmallTree()
    var heard: [String] = []
    tree.leaf.onChange(of: Theme.self) { me, theme in
      heard.append("\(theme)")
      if theme.value == nil { me.provide(Theme("own")) }
    }
    #expect(heard == ["missing", "value own"])
  }

  @Test("A snapshot carries Sendable values into a task", arguments: Strategy.allCases)
  func snapshot(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("dark"))
    let values = tree.leaf.snapshot(Theme.self, Session.self)
    let text = await Task.detached { "\(values.0?.ink ?? "-") \(values.1?.user ?? "-")" }.value
    #expect(text == "dark -")
  }

  @Test(
    "Updates begin with the present and hand out only the newest",
    arguments: Strategy.allCases)
  func updates(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    var iterator = tree.leaf.updates(of: Theme.self).makeAsyncIterator()
    #expect(await iterator.next()?.description == "missing")
    tree.application.provide(Theme("1"))
    tree.application.provide(Theme("2"))
    #expect(await iterator.next()?.description == "value 2")
    var heard: [String] = []
    let task = Task {
      for await theme in tree.uncle.updates(of: Theme.self) {
        heard.append(theme.description)
        if theme.value == Theme("end") { break }
      }
    }
    while heard.count < 1 { await Task.yield() }
    tree.right.block(Theme.self)
    while heard.count < 2 { await Task.yield() }
    tree.right.provide(Theme("end"))
    await task.value
    #expect(heard == ["value 2", "blocked", "value end"])
  }

  @Test("Updates end with the responder and with the task", arguments: Strategy.allCases)
  func updatesEnd(_ strategy: Strategy) async throws {
    var page: Page? = Page("page")
    var iterator = try #require(page).updates(of: Theme.self).makeAsyncIterator()
    #expect(await iterator.next() != nil)
    page = nil
    #expect(await iterator.next() == nil)

    let tree = try SmallTree(strategy)
    var count = 0
    let task = Task { for await _ in tree.leaf.updates(of: Theme.self) { count += 1 } }
    try await until { count == 1 }
    task.cancel()
    await task.value
    #expect(count == 1)
  }

  @Test("Updates end with the responder though its child outlives it", arguments: Strategy.allCases)
  func updatesOfOutlived(_ strategy: Strategy) async throws {
    let application = Application(strategy: strategy)
    let child = Screen("child")
    var hasEnded = false
    let task: Task<Void, Never>
    weak let gone: Screen?
    do {
      let parent = Screen("parent")
      gone = parent
      try parent.append(child)
      try application.append(parent)
      let updates = parent.updates(of: Theme.self)
      task = Task {
        for await _ in updates {}
        hasEnded = true
      }
      for _ in 0..<20 { await Task.yield() }
      parent.removeFromParent()
    }
    #expect(gone == nil)
    try await until { hasEnded }
    task.cancel()
    withExtendedLifetime(child) {}
  }

  @Test("A loop over updates runs where its task does, and misses what is replaced before its turn")
  func updatesIsolation() async throws {
    let tree = try SmallTree()
    var heard: [String] = []
    let updates = tree.leaf.updates(of: Session.self)
    let task = Task {
      for await session in updates { heard.append(session.description) }
    }
    for _ in 0..<200 { await Task.yield() }
    #expect(heard == ["missing"])
    // This code does not suspend, so no task on the main actor can receive the first session.
    tree.application.provide(Session("one"))
    usleep(300_000)
    tree.application.provide(Session("two"))
    try await until { heard.contains("value two") }
    #expect(heard == ["missing", "value two"])
    task.cancel()
  }
}
