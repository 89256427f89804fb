import Foundation
import LineageTestSupport
import ResponderChain
import Testing

@Suite("Law 8: nothing recurses over depth", .hangGuard)
struct DepthTests {
  private static let depth = 10_000
  /// The size of the stack in bytes, with 13 bytes for each level of the tree. A recursive call
  /// needs at least 16, for the return address and the frame pointer. Sanitizers make each frame
  /// larger.
  private static let stackSize = (isSanitized ? 512 : 128) * 1024

  /// Builds a chain of pages, calls the closure, and releases all pages. All of this is done on a
  /// thread with a small stack.
  private static func row(
    _ strategy: Strategy, in census: Census,
    _ body: @escaping @Sendable (Application, Page) throws -> Void
  ) async throws {
    try await onThread(stackSize: stackSize) {
      let (application, bottom) = try build(strategy, in: census)
      #expect(census.population >= depth)
      try body(application, bottom)
    }
    #expect(census.population == 0)
  }

  private static func build(
    _ strategy: Strategy, in census: Census
  ) throws -> (application: Application, bottom: Page) {
    let application = Application(strategy: strategy)
    let bottom = Page("\(depth - 1)", in: census)
    var top = bottom
    for number in (0..<depth - 1).reversed() {
      let next = Page("\(number)", in: census)
      try next.append(top)
      top = next
    }
    try application.append(top)
    return (application, bottom)
  }

  @Test("A chain of ten thousand resolves, notifies and is released", arguments: Strategy.allCases)
  func resolve(_ strategy: Strategy) async throws {
    try await Self.row(strategy, in: Census()) { application, bottom in
      let log = Log()
      let token = log.observe(bottom, Theme.self)
      application.provide(Theme("dark"))
      let name = bottom.debugName ?? ""
      #expect(log.take() == ["\(name) missing", "\(name) value dark"])
      #expect(bottom.depth == Self.depth)
      #expect(application.descendants.reduce(0) { count, _ in count + 1 } == Self.depth)
      application.children.first?.removeFromParent()
      #expect(log.take() == ["\(name) missing"])
      withExtendedLifetime(token) {}
    }
  }

  @Test("Observers at many depths are called from the root down", arguments: Strategy.allCases)
  func notify(_ strategy: Strategy) async throws {
    try await Self.row(strategy, in: Census()) { application, bottom in
      var depths: [Int] = []
      let tokens = application.descendants.enumerated().filter { $0.offset % 20 == 0 }.map {
        (_, responder) in
        responder.observe(Theme.self) { me, theme in
          if theme.value != nil { depths.append(Int(me.debugName ?? "") ?? 0) }
        }
      }
      application.provide(Theme("dark"))
      #expect(depths == Array(stride(from: 0, to: Self.depth, by: 20)))
      withExtendedLifetime((tokens, bottom)) {}
    }
  }

  @Test(
    "Five hundred branches in a deep chain are made, told and explained",
    arguments: Strategy.allCases)
  func branches(_ strategy: Strategy) async throws {
    try await Self.row(strategy, in: Census()) { application, bottom in
      for (number, responder) in application.descendants.enumerated() where number % 20 == 0 {
        responder.branch(Level.self)
      }
      #expect(bottom.explain(Level.self).outcome.contains("branch"))
      let root = Level(depth: 0)
      application.provide(root)
      #expect(bottom.context(Level.self)?.depth == Self.depth / 20)
      application.provide(Level(depth: 1))
      #expect(bottom.context(Level.self)?.depth == Self.depth / 20 + 1)
    }
  }

  @Test(
    "A deep tree whose middle is held from outside is released in parts",
    arguments: Strategy.allCases)
  func parts(_ strategy: Strategy) async throws {
    try await Self.row(strategy, in: Census()) { application, bottom in
      let middle = try #require(bottom.chain.first { $0.debugName == "5000" })
      application.provide(Theme("dark"))
      #expect(bottom.context(Theme.self) == Theme("dark"))
      application.children.first?.removeFromParent()
      #expect(middle.nextResponder == nil)
      #expect(bottom.context(Theme.self) == nil)
      #expect(bottom.depth == Self.depth - 1 - 5_000)
    }
  }

  @Test(
    "A hundred thousand values whose deinits provide the next end one after the other",
    arguments: Links.Order.allCases)
  func links(_ way: Links.Order) async throws {
    try await onThread(stackSize: Self.stackSize) {
      let links = Links(100_000, way)
      links.provideNext()
      links.provideNext()
      #expect(links.left == 0)
      #expect(links.page.checkInvariants() == [])
    }
  }

  @Test("Deep paths, dumps and drawings show their ends", arguments: Strategy.allCases)
  func texts(_ strategy: Strategy) async throws {
    try await Self.row(strategy, in: Census()) { application, bottom in
      #expect(bottom.path.hasSuffix(" in Application"))
      #expect(bottom.path.contains(" more "))
      #expect(bottom.path.count < 400)
      #expect(bottom.explain(Theme.self).description.count < 4_000)
      let dump = application.dump()
      // The dump would have a hundred megabytes if each level were indented by two more spaces.
      #expect(dump.utf8.count < 200 * Self.depth)
      #expect(dump.hasSuffix("(\(Self.depth)) \(bottom.debugLabel)"))
      withExtendedLifetime(application) {}
    }
  }

  #if os(Linux)
  @Test(
    "One small call for each level is the end: the tests above can fail",
    .disabled(if: isSanitized, "sanitizers have larger stacks, and end in another way"))
  func control() async {
    #expect(Self.stackSize < 16 * Self.depth)
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      try await Self.row(.skipping, in: Census()) { _, bottom in
        _exit(Self.hops(above: bottom) == Self.depth ? 0 : 1)
      }
    }
  }
  #endif

  /// Counts the hops to the root by recursion. The recursive call is not a tail call, so each hop
  /// takes a stack frame.
  @inline(never)
  private static func hops(above responder: Responder) -> Int {
    guard let next = responder.nextResponder else { return 0 }
    return withExtendedLifetime(next) { hops(above: next) + 1 }
  }
}

/// A branching context without a reference to its parent. So its release does not recurse over its
/// parents.
private final class Level: BranchingContext {
  let depth: Int
  var parent: Level? { nil }

  init(depth: Int) { self.depth = depth }

  func makeChild() -> Level { Level(depth: depth + 1) }
}
