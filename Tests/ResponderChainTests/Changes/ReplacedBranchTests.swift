import LineageTestSupport
import ResponderChain
import Testing

/// Tests that replace a branch by another slot, with and without unsaved changes.
@Suite("Replacing a branch")
@MainActor
struct ReplacedBranchTests {
  /// A slot that can replace a branch with unsaved changes. The call that sets it does not throw.
  enum Replacement: CaseIterable {
    case provide, expect, load, block

    @MainActor func apply(to responder: Responder) {
      switch self {
      case .provide: responder.provide(Notebook("own"))
      case .expect: _ = responder.expect(Notebook.self)
      case .load:
        // The load does not finish: its responder ends first and cancels it.
        responder.load(Notebook.self) {
          try await Task.sleep(for: .seconds(600))
          return Notebook("loaded")
        }
      case .block: responder.block(Notebook.self)
      }
    }
  }

  @Test(
    "Unsaved changes are reported as drift, after everybody has heard",
    arguments: Strategy.allCases, Replacement.allCases)
  func dirty(_ strategy: Strategy, _ replacement: Replacement) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self)
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    let child = try tree.leaf.require(Notebook.self)
    child.hasUnsavedChanges = true
    tree.application.onDrift = { [left = tree.left] drift in
      log.lines.append("drift of \(drift.context), unsaved \(drift.hasUnsavedChanges)")
      #expect(drift.responder === left)
      #expect(drift.policy == .follow)
    }
    _ = log.take()
    replacement.apply(to: tree.left)
    let lines = log.take()
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("leaf ") == true)
    #expect(lines.last == "drift of root/1, unsaved true")
    #expect(child.log == [], "neither saved nor discarded")
    #expect(child.hasUnsavedChanges)
    tree.application.drain()
    // The drain must not report the drift again.
    #expect(!log.take().contains { $0.hasPrefix("drift") }, "reported once")
    withExtendedLifetime(token) {}
  }

  @Test(
    "A branch without unsaved changes goes without a word",
    arguments: Strategy.allCases, Replacement.allCases)
  func clean(_ strategy: Strategy, _ replacement: Replacement) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self, .keep)
    _ = try tree.leaf.require(Notebook.self)
    var drifts = 0
    tree.application.onDrift = { _ in drifts += 1 }
    replacement.apply(to: tree.left)
    tree.application.drain()
    #expect(drifts == 0)
  }
}
