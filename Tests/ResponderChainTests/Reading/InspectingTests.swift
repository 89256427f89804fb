import CLineageAllocations
import Foundation
import LineageTestSupport
import ResponderChain
import Testing

@Suite("Reading without making a branch's child")
@MainActor
struct InspectingTests {
  @Test("Own slots are visited with their kinds", arguments: Strategy.allCases)
  func slots(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("inherited"))
    #expect(Self.slots(of: tree.left) == [])
    tree.left.provide(Session("ann"))
    tree.left.branch(Notebook.self, .keep)
    tree.left.block(Archive.self)
    _ = tree.left.expect(Theme.self)
    #expect(
      Self.slots(of: tree.left) == [
        "Archive block", "Notebook branch, keep", "Session value", "Theme pending",
      ])
    #expect(tree.left.slotKind(Theme.self) == .pending)
    #expect(tree.left.slotKind(Notebook.self) == .branch(.keep))
    #expect(tree.right.slotKind(Theme.self) == nil)
    #expect(tree.left.ownValue(Session.self)?.user == "ann")
    #expect(tree.left.ownValue(Theme.self) == nil)
    #expect(tree.right.ownValue(Theme.self) == nil)
    #expect(tree.application.ownValue(Theme.self) == Theme("inherited"))
  }

  @Test("The closure may withdraw the slots it gets", arguments: Strategy.allCases)
  func withdrawing(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let keys = numberedKeys(20)
    for (number, key) in keys.enumerated() { give(number, key, tree.left) }
    for _ in keys {
      tree.left.forEachSlot { key, _ in
        guard let key = key as? any NumberKey.Type else { return }
        try? withdraw(key, tree.left)
      }
    }
    #expect(Self.slots(of: tree.left) == [])
    #expect(tree.left.checkInvariants() == [])
  }

  private static func slots(of responder: Responder) -> [String] {
    var lines: [String] = []
    responder.forEachSlot { lines.append("\($0) \($1)") }
    return lines.sorted()
  }

  @Test("Branches without a child are looked through", arguments: Strategy.allCases)
  func branches(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let root = Notebook("root")
    #expect(tree.leaf.provider(of: Notebook.self) == nil)
    tree.left.branch(Notebook.self)
    tree.page.branch(Notebook.self)
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).description == "missing")
    #expect(tree.leaf.provider(of: Notebook.self) == nil)
    tree.application.provide(root)
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).value === root)
    #expect(tree.leaf.provider(of: Notebook.self)?.responder === tree.application)
    #expect(tree.leaf.provider(of: Notebook.self)?.object === root)
    #expect(root.childCount == 0)
    #expect(!tree.left.hasBranchChild(Notebook.self))
    let child = tree.left.context(Notebook.self)
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).value === child)
    #expect(tree.leaf.provider(of: Notebook.self)?.responder === tree.left)
    #expect(tree.left.resolveWithoutMaking(Notebook.self, from: .next).value === root)
    #expect(tree.left.hasBranchChild(Notebook.self))
    #expect(!tree.page.hasBranchChild(Notebook.self))
    #expect(root.childCount == 1 && child?.childCount == 0)
  }

  @Test("A clean child below a drifting branch is found", arguments: Strategy.allCases)
  func drifting(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("a"))
    tree.left.branch(Notebook.self)
    tree.page.branch(Notebook.self)
    let child = tree.page.context(Notebook.self)
    let parent = tree.left.context(Notebook.self)
    parent?.hasUnsavedChanges = true
    tree.application.provide(Notebook("b"))
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).value === child)
    #expect(tree.leaf.provider(of: Notebook.self)?.responder === tree.page)
    #expect(tree.left.resolveWithoutMaking(Notebook.self).value === parent)
    #expect(tree.leaf.context(Notebook.self) === child)
  }

  @Test("States are found as a lookup finds them", arguments: Strategy.allCases)
  func states(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.left.branch(Notebook.self)
    let delivery = tree.application.expect(Notebook.self)
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).description == "pending")
    #expect(tree.leaf.provider(of: Notebook.self)?.responder === tree.application)
    delivery.fail(Mishap("gone"))
    tree.application.drain()
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).description == "failed: gone")
    tree.left.block(Notebook.self)
    #expect(tree.leaf.resolveWithoutMaking(Notebook.self).description == "blocked")
    #expect(tree.leaf.provider(of: Notebook.self)?.responder === tree.left)
    #expect(tree.left.provider(of: Notebook.self)?.responder === tree.left)
  }
}

#if os(Linux)
@Suite("Reading for restoration allocates nothing")
struct InspectingCostTests {
  #if DEBUG
  private static let isOptimised = false
  #else
  private static let isOptimised = true
  #endif

  @Test(
    "Visits and lookups that make no child allocate nothing",
    .disabled(if: isSanitized, "sanitizers allocate themselves"),
    .enabled(if: isOptimised, "each closure is an allocation without the optimiser"),
    arguments: Strategy.allCases)
  func allocations(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { [strategy = strategy as Strategy] in
      let tree = try SmallTree(strategy)
      tree.application.provide(Notebook("root"))
      tree.left.branch(Notebook.self)
      tree.left.provide(Session("ann"))
      var found = 0
      func inspect() {
        tree.left.forEachOwned { _, _ in found += 1 }
        tree.left.forEachSlot { _, _ in found += 1 }
        if tree.left.slotKind(Session.self) != nil { found += 1 }
        if tree.left.ownValue(Session.self) != nil { found += 1 }
        if tree.leaf.resolveWithoutMaking(Notebook.self).value != nil { found += 1 }
        if tree.leaf.provider(of: Notebook.self) != nil { found += 1 }
        if tree.left.hasBranchChild(Notebook.self) { found += 1 }
      }
      inspect()
      let before = allocation_count()
      for _ in 0..<100 { inspect() }
      let count = allocation_count() - before
      exit(count == 0 && found == 707 ? 0 : 1)
    }
  }
}
#endif

@Suite("Branches that make their child anew")
@MainActor
struct RemakingTests {
  @Test("A clean child is made anew of the inherited context", arguments: Strategy.allCases)
  func clean(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Notebook("a"))
    tree.page.branch(Notebook.self, .keep)
    let token = log.observe(tree.leaf, Notebook.self)
    tree.left.branch(Notebook.self)
    #expect(log.take() == ["leaf value a/1"])
    #expect(tree.page.remakeCleanBranchChild(Notebook.self))
    #expect(log.take() == ["leaf value a/2/1"])
    #expect(tree.leaf.context(Notebook.self)?.parent === tree.left.context(Notebook.self))
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    withExtendedLifetime(token) {}
  }

  @Test("It is made at the next read", arguments: Strategy.allCases)
  func nextRead(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let root = Notebook("root")
    tree.application.provide(root)
    tree.left.branch(Notebook.self)
    let first = tree.leaf.context(Notebook.self)
    #expect(tree.left.remakeCleanBranchChild(Notebook.self))
    #expect(!tree.left.hasBranchChild(Notebook.self))
    #expect(!tree.left.remakeCleanBranchChild(Notebook.self), "there is no child any more")
    #expect(root.childCount == 1)
    #expect(tree.leaf.context(Notebook.self) !== first)
    #expect(root.childCount == 2)
  }

  @Test("Unsaved changes, and slots that are no branch, stay", arguments: Strategy.allCases)
  func dirty(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self)
    let child = tree.leaf.context(Notebook.self)
    child?.hasUnsavedChanges = true
    #expect(!tree.left.remakeCleanBranchChild(Notebook.self))
    #expect(tree.leaf.context(Notebook.self) === child)
    #expect(!tree.application.remakeCleanBranchChild(Notebook.self))
    #expect(!tree.right.remakeCleanBranchChild(Notebook.self))
  }
}
