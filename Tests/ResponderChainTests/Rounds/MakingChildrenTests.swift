import LineageTestSupport
import ResponderChain
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Tests in which `makeChild()` changes the tree that calls it.
@Suite("Making a child", .hangGuard)
@MainActor
struct MakingChildrenTests {
  /// A context that runs a closure while it makes a child.
  final class Busy: BranchingContext {
    let parent: Busy?
    var hasUnsavedChanges = false
    var whileMaking: () -> Void = {}

    init(parent: Busy? = nil) { self.parent = parent }

    func makeChild() -> Busy {
      let work = whileMaking
      whileMaking = {}
      work()
      return Busy(parent: self)
    }
  }

  /// Builds a tree with a branch at `left` that has no child yet.
  static func branched(_ strategy: Strategy) throws -> (SmallTree, Busy) {
    let tree = try SmallTree(strategy)
    let root = Busy()
    tree.application.provide(root)
    tree.left.branch(Busy.self)
    return (tree, root)
  }

  @Test("It may read and provide other contexts", arguments: Strategy.allCases)
  func others(_ strategy: Strategy) throws {
    let (tree, root) = try Self.branched(strategy)
    let log = Log()
    let token = log.observe(tree.leaf, Theme.self)
    root.whileMaking = {
      tree.left.provide(Theme("made"))
      _ = tree.uncle.context(Busy.self)
    }
    #expect(tree.leaf.context(Busy.self)?.parent === root)
    #expect(log.lines == ["leaf missing", "leaf value made"])
    withExtendedLifetime(token) {}
  }

  @Test("It may make the child of a branch elsewhere", arguments: Strategy.allCases)
  func another(_ strategy: Strategy) throws {
    let (tree, root) = try Self.branched(strategy)
    tree.right.branch(Busy.self)
    var other: Busy?
    root.whileMaking = { other = tree.uncle.context(Busy.self) }
    let child = try tree.leaf.require(Busy.self)
    #expect(other?.parent === root && other !== child)
    #expect(tree.uncle.context(Busy.self) === other)
    #expect(tree.leaf.context(Busy.self) === child)
  }

  @Test("It may withdraw the branch it is made for", arguments: Strategy.allCases)
  func withdrawing(_ strategy: Strategy) throws {
    let (tree, root) = try Self.branched(strategy)
    root.whileMaking = { try? tree.left.withdraw(Busy.self) }
    #expect(tree.leaf.context(Busy.self)?.parent === root, "who asked gets what was made for it")
    #expect(tree.leaf.context(Busy.self) === root)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
  }

  @Test("It may replace what the branch inherits", arguments: Strategy.allCases)
  func replacing(_ strategy: Strategy) throws {
    let (tree, root) = try Self.branched(strategy)
    let other = Busy()
    root.whileMaking = { tree.application.provide(other) }
    _ = tree.leaf.context(Busy.self)
    #expect(tree.leaf.context(Busy.self)?.parent === other)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
  }

  @Test("It may replace that while somebody waits for the child", arguments: Strategy.allCases)
  func replacingForWaiter(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { @MainActor [strategy = strategy as Strategy] in
      let (tree, root) = try Self.branched(strategy)
      _ = tree.application.expect(Busy.self)
      var found: Busy?
      let task = Task { [leaf = tree.leaf] in
        found = try await leaf.context(whenReady: Busy.self)
      }
      for _ in 0..<20 { await Task.yield() }
      root.whileMaking = { tree.application.provide(Busy()) }
      tree.application.provide(root)
      try await task.value
      #expect(found != nil)
    }
  }

  @Test("It may replace that at a read below an observer", arguments: Strategy.allCases)
  func replacingForObserver(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { @MainActor [strategy = strategy as Strategy] in
      let (tree, root) = try Self.branched(strategy)
      let token = tree.leaf.observe(Busy.self) { _, _ in }
      let child = try tree.leaf.require(Busy.self)
      child.hasUnsavedChanges = true
      let second = Busy()
      tree.application.provide(second)
      child.hasUnsavedChanges = false
      second.whileMaking = { tree.application.provide(Busy()) }
      #expect(tree.leaf.context(Busy.self) != nil)
      withExtendedLifetime((token, root)) {}
    }
  }

  @Test("It may detach the branch it is made for", arguments: Strategy.allCases)
  func detaching(_ strategy: Strategy) throws {
    let (tree, root) = try Self.branched(strategy)
    root.whileMaking = { tree.left.removeFromParent() }
    _ = tree.leaf.context(Busy.self)
    #expect(tree.leaf.resolve(Busy.self).description == "missing")
    #expect(tree.leaf.checkInvariants() + tree.left.checkInvariants() == [])
  }

  @Test("It must not read the branch it is made for")
  func itself() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      let (tree, root) = try Self.branched(.skipping)
      root.whileMaking = { _ = tree.leaf.context(Busy.self) }
      _ = tree.leaf.context(Busy.self)
    }
  }
}
