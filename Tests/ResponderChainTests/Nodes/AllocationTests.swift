#if os(Linux)
import CLineageAllocations
import Foundation
import ResponderChain
import LineageTestSupport
import Testing

/// Tests of memory allocations. A lookup that finds a value is tested in a process that has used
/// up its memory: there, the first allocation ends the process.
@Suite("Allocations")
struct AllocationTests {
  /// A way to read a context that exists.
  enum Hit: String, CaseIterable, Codable {
    case context, branch, resolve, next

    @inline(never)
    func find(_ tree: SmallTree) -> Bool {
      switch self {
      case .context: tree.leaf.context(Session.self) != nil
      case .branch: tree.leaf.context(Notebook.self) != nil
      case .resolve: tree.leaf.resolve(Session.self).value != nil
      case .next: tree.uncle.resolve(Session.self, from: .next).value != nil
      }
    }
  }

  @Test(
    "A hit allocates nothing", .disabled(if: isSanitized, "sanitizers allocate themselves"),
    arguments: Strategy.allCases, Hit.allCases)
  func hit(_ strategy: Strategy, _ hit: Hit) async {
    await #expect(processExitsWith: .success) {
      [strategy = strategy as Strategy, hit = hit as Hit] in
      let tree = try SmallTree(strategy)
      tree.application.provide(Session("ann"))
      tree.application.provide(Theme("dark"))
      tree.application.provide(Notebook("root"))
      tree.left.branch(Notebook.self)
      // The first lookup allocates what the runtime and the tree make only once.
      var found = hit.find(tree) ? 1 : 0
      AllocationTests.exhaust()
      for _ in 0..<1_000 where hit.find(tree) { found += 1 }
      _exit(found == 1_001 ? 0 : 1)
    }
  }

  @Test(
    "Without memory an allocation is the end: the test above can fail",
    .disabled(if: isSanitized, "sanitizers allocate themselves"))
  func control() async {
    await #expect(processExitsWith: .failure) {
      let tree = try SmallTree()
      AllocationTests.exhaust()
      tree.application.provide(Session("ann"))
      _exit(0)
    }
  }

  #if DEBUG
  private static let isOptimised = false
  #else
  private static let isOptimised = true
  #endif

  /// The strategies that allocate nothing except the new responder or cell. The other strategy
  /// also makes a list of the nodes that it visits.
  private static let sparing = Strategy.allWithoutPushing

  @Test(
    "A responder is one piece of memory until it has a child, a slot or a listener",
    .disabled(if: isSanitized, "sanitizers allocate themselves"),
    .enabled(if: isOptimised, "each closure is an allocation without the optimiser"),
    arguments: sparing)
  func leaf(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { [strategy = strategy as Strategy] in
      let tree = try SmallTree(strategy)
      tree.application.provide(Session("ann"))
      let page = Page("many")
      try tree.left.append(page)
      try page.append(ViewResponder())
      _ = tree.leaf.context(Session.self)
      let before = allocation_count()
      for _ in 0..<1_000 {
        let view = ViewResponder()
        try page.append(view)
        guard view.context(Session.self) != nil, view.nextResponder === page else { exit(2) }
      }
      // The list of children grows a few times in the loop.
      exit(1_000...1_010 ~= allocation_count() - before ? 0 : 1)
    }
  }

  @Test(
    "Another value takes one piece of memory, its cell, whoever hears of it",
    .disabled(if: isSanitized, "sanitizers allocate themselves"),
    .enabled(if: isOptimised, "each closure is an allocation without the optimiser"),
    arguments: sparing, [0, 10, 1_000])
  func change(_ strategy: Strategy, _ observers: Int) async {
    await #expect(processExitsWith: .success) {
      [strategy = strategy as Strategy, observers = observers as Int] in
      let tree = try SmallTree(strategy)
      let sessions = [Session("ann"), Session("bob")]
      var heard = 0
      let tokens = (0..<observers).map { number in
        tree.all[number % tree.all.count].observe(Session.self) { _, _ in heard += 1 }
      }
      // The first changes allocate what is made only once.
      for number in 0..<10 { tree.application.provide(sessions[number % 2]) }
      heard = 0
      let before = allocation_count()
      for number in 0..<100 { tree.application.provide(sessions[number % 2]) }
      let count = allocation_count() - before
      withExtendedLifetime(tokens) {}
      exit(count == 100 && heard == 100 * observers ? 0 : 1)
    }
  }

  /// Takes all memory that `malloc` can still provide.
  ///
  /// Each block stores the address of the previous one. Otherwise the optimiser would remove the
  /// calls.
  static func exhaust() {
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    var size = 1 << 20
    while size >= 16 {
      while take(size) {}
      size = size > 1_024 ? size / 2 : size - 16
    }
    while take(8) {}
  }

  nonisolated(unsafe) private static var taken: UnsafeMutableRawPointer?

  @inline(never)
  private static func take(_ size: Int) -> Bool {
    guard let block = malloc(size) else { return false }
    block.storeBytes(of: taken, as: UnsafeMutableRawPointer?.self)
    taken = block
    return true
  }
}
#endif
