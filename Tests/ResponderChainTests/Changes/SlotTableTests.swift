import LineageTestSupport
import ResponderChain
import Testing

@Suite("The slot table")
@MainActor
struct SlotTableTests {
  /// A call that makes a slot.
  enum Call: String, CaseIterable {
    case provide, expect, load, failed, follow, keep, block

    @MainActor
    func make(on responder: Responder, _ application: Application) async throws {
      switch self {
      case .provide: responder.provide(Notebook("own"))
      case .expect: _ = responder.expect(Notebook.self)
      case .load:
        responder.load(Notebook.self) {
          try await Task.sleep(for: .seconds(3_600))
          return Notebook("loaded")
        }
      case .failed:
        responder.expect(Notebook.self).fail(Mishap("broken"))
        application.drain()
      case .follow: responder.branch(Notebook.self, .follow)
      case .keep: responder.branch(Notebook.self, .keep)
      case .block: responder.block(Notebook.self)
      }
    }

    var kind: SlotSummary.SlotKind {
      switch self {
      case .provide: .value
      case .expect, .load: .pending
      case .failed: .failed
      case .follow: .branch(.follow)
      case .keep: .branch(.keep)
      case .block: .block
      }
    }

    var resolution: String {
      switch self {
      case .provide: "value own"
      case .expect, .load: "pending"
      case .failed: "failed: broken"
      case .follow, .keep: "value root/"
      case .block: "blocked"
      }
    }
  }

  @Test("A slot says what its call means", arguments: Strategy.allCases, Call.allCases)
  func one(_ strategy: Strategy, _ call: Call) async throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    try await call.make(on: tree.left, tree.application)
    #expect(tree.left.slotSummaries.map(\.kind) == [call.kind])
    #expect(tree.left.slotSummaries.map { $0.key == Notebook.self } == [true])
    #expect(tree.leaf.resolve(Notebook.self).description.hasPrefix(call.resolution))
    #expect(tree.left.resolve(Notebook.self, from: .next).description == "value root")
    #expect(tree.uncle.resolve(Notebook.self).description == "value root")
    try tree.left.withdraw(Notebook.self)
    #expect(tree.left.slotSummaries.isEmpty)
    #expect(tree.leaf.resolve(Notebook.self).description == "value root")
  }

  @Test(
    "Each call replaces whatever was there", arguments: Strategy.allCases,
    Call.allCases.flatMap { first in Call.allCases.map { Pair(first: first, second: $0) } })
  func replacing(_ strategy: Strategy, _ pair: Pair) async throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    try await pair.first.make(on: tree.left, tree.application)
    try await pair.second.make(on: tree.left, tree.application)
    #expect(tree.left.slotSummaries.map(\.kind) == [pair.second.kind])
    let resolution = tree.leaf.resolve(Notebook.self).description
    #expect(resolution.hasPrefix(pair.second.resolution))
    #expect(log.lines.last == "leaf \(resolution)", "the observer heard the last state")
    try tree.left.withdraw(Notebook.self)
    #expect(log.lines.last == "leaf value root")
    withExtendedLifetime(token) {}
  }

  struct Pair: CustomTestStringConvertible {
    let first: Call
    let second: Call
    var testDescription: String { "\(first.rawValue) then \(second.rawValue)" }
  }

  @Test("Withdrawing an empty slot does nothing", arguments: Strategy.allCases)
  func empty(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    try tree.left.withdraw(Notebook.self)
    try tree.left.withdraw(Notebook.self, unsaved: .discard)
    #expect(log.lines == ["leaf missing"])
    withExtendedLifetime(token) {}
  }

  @Test("An equal value and the identical reference are no change", arguments: Strategy.allCases)
  func equal(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let root = Notebook("root")
    tree.application.provide(root)
    tree.application.provide(Theme("dark"))
    let tokens = (log.observe(tree.leaf, Notebook.self), log.observe(tree.leaf, Theme.self))
    tree.application.provide(root)
    tree.application.provide(Theme("dark"))
    tree.left.provide(Theme("dark"))
    #expect(log.take() == ["leaf value root", "leaf value dark"])
    tree.application.provide(Notebook("root"))
    #expect(log.lines == ["leaf value root"], "another reference is a change, whatever its name")
    withExtendedLifetime(tokens) {}
  }

  @Test("A block stops lookups; a provision below it still answers", arguments: Strategy.allCases)
  func block(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("dark"))
    tree.left.block(Theme.self)
    #expect(tree.left.resolve(Theme.self).description == "blocked")
    #expect(tree.leaf.resolve(Theme.self).description == "blocked")
    #expect(tree.uncle.context(Theme.self) == Theme("dark"))
    tree.page.provide(Theme("light"))
    #expect(tree.leaf.context(Theme.self) == Theme("light"))
    #expect(tree.left.resolve(Theme.self).description == "blocked")
    try tree.left.withdraw(Theme.self)
    #expect(tree.left.context(Theme.self) == Theme("dark"))
  }
}
