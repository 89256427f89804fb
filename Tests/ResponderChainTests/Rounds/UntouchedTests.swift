#if os(Linux)
import Foundation
import ResponderChain
import LineageTestSupport
import Testing

/// Tests that make the nodes of a subtree unreadable, each in a process of its own. The first
/// access to one of these nodes ends the process.
@Suite("Laws 4 and 6: a change or a move costs in proportion to its observers")
struct UntouchedTests {
  @Test(
    "Moving a subtree without observers touches none of the nodes below its top",
    .disabled(if: isSanitized, "sanitizers allocate between the nodes"),
    arguments: Strategy.allWithoutPushing)
  func moving(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { [strategy = strategy as Strategy] in
      let tree = try Spine(strategy)
      tree.protect(true)
      try tree.top.move(to: tree.tree.right)
      tree.top.removeFromParent()
      try tree.tree.left.append(tree.top)
      try tree.tree.left.move(to: tree.tree.right)
      tree.protect(false)
      let found = tree.bottom.context(Theme.self)
      _exit(found == Theme("right") ? 0 : 1)
    }
  }

  @Test(
    "A change touches only nodes that lead to an observer of its key",
    .disabled(if: isSanitized, "sanitizers allocate between the nodes"),
    arguments: Strategy.allWithoutPushing)
  func change(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { [strategy = strategy as Strategy] in
      _exit(try Spine(strategy).changeAndCount() == Spine.affected ? 0 : 1)
    }
  }

  @Test(
    "A change that is pushed touches all nodes: the test above can fail",
    .disabled(if: isSanitized, "sanitizers allocate between the nodes"),
    arguments: Strategy.allCases.filter(\.pushes))
  func push(_ strategy: Strategy) async {
    await #expect(processExitsWith: .signal(SIGSEGV)) { [strategy = strategy as Strategy] in
      _ = try Spine(strategy).changeAndCount()
      _exit(0)
    }
  }

  @Test(
    "Touching a node below a moved top is the end: the test of moves can fail",
    .disabled(if: isSanitized, "sanitizers allocate between the nodes"))
  func control() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      let tree = try Spine(.skipping)
      tree.protect(true)
      // The first lookup after a change walks through the unreadable nodes.
      tree.top.removeFromParent()
      _ = tree.bottom.context(Theme.self)
      _exit(0)
    }
  }

  /// A chain of many views. The memory pages that contain only views from its middle can be made
  /// unreadable.
  struct Spine {
    let tree: SmallTree
    let top = Page("top")
    let bottom: Responder
    private let pages: UnsafeMutableRawPointer
    private let byteCount: Int
    /// Blocks that fill the gaps between the nodes, so that no other object is allocated there.
    private let fillers: [UnsafeMutableRawPointer?]

    init(_ strategy: Strategy) throws {
      tree = try SmallTree(strategy)
      tree.application.provide(Theme("root"))
      tree.right.provide(Theme("right"))
      try tree.left.append(top)
      try top.move(to: tree.right)
      try top.move(to: tree.left)
      var line: [Responder] = [top]
      line.reserveCapacity(20_001)
      for index in 0..<20_000 {
        let view = ViewResponder()
        try line[index].append(view)
        line.append(view)
      }
      // Each lookup validates the route of a view in the tree from which the move takes it.
      for view in line.reversed() { _ = view.context(Theme.self) }
      let addresses = line[2_000..<18_000].map {
        Int(bitPattern: Unmanaged.passUnretained($0).toOpaque())
      }
      let page = Int(sysconf(CInt(_SC_PAGESIZE)))
      let first = ((addresses.min() ?? 0) / page + 1) * page
      let end = (addresses.max() ?? 0) / page * page
      pages = try #require(UnsafeMutableRawPointer(bitPattern: first))
      byteCount = end - first
      // The nodes must be adjacent. Otherwise other objects could lie between them.
      try #require(byteCount > 0 && byteCount < 16_000 * 512)
      bottom = try #require(line.last)
      fillers = (1...64).flatMap { size in (0..<500).map { _ in malloc(size * 16) } }
    }

    /// The total number of observer calls that the changes in ``changeAndCount()`` need. Each
    /// term of the sum is for one change.
    static let affected = [2, 2, 2, 2, 2, 2, 1, 1, 1, 1].reduce(0, +)

    /// Makes changes above the chain and beside it while the middle of the chain is unreadable.
    ///
    /// The last view observes another key, so each node of the chain leads to a listener.
    ///
    /// - Returns: the number of calls of observers. Only the observers outside the chain should
    ///   be called.
    func changeAndCount() throws -> Int {
      var count = 0
      let places: [Responder] = [tree.application, tree.left, tree.uncle]
      let tokens = places.map { $0.observe(Theme.self) { _, _ in count += 1 } }
      let other = bottom.observe(Session.self) { _, _ in count += 1_000 }
      count = 0
      protect(true)
      tree.application.provide(Theme("other"))
      tree.application.block(Theme.self)
      tree.application.expect(Theme.self).fail(Mishap("no disk"))
      tree.application.drain()
      tree.application.expect(Theme.self).deliver(Theme("late"))
      tree.application.drain()
      tree.left.provide(Theme("between"))
      tree.left.provide(Theme("other"))
      try tree.left.withdraw(Theme.self)
      tree.right.provide(Theme("beside"))
      protect(false)
      withExtendedLifetime((tokens, other)) {}
      return count
    }

    func protect(_ isProtected: Bool) {
      mprotect(pages, byteCount, isProtected ? PROT_NONE : PROT_READ | PROT_WRITE)
    }
  }
}
#endif
