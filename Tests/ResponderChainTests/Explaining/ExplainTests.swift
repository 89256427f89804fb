import LineageTestSupport
import ResponderChain
import Testing

@Suite("Explanations")
struct ExplainTests {
  @Test(
    "A missing context's error names who asked, the way, and a provider below",
    arguments: Strategy.allCases)
  func below(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.leaf.provide(Theme("dark"))
    let error = #expect(throws: ContextError.self) { try tree.left.require(Theme.self) }
    #expect(error?.state.description == "missing")
    #expect(
      error?.description == """
        Theme for Screen "left" in Application: missing
          asked Screen "left": no slot
          then  Application: no slot
        note: Page "leaf" in Page "page" in Screen "left" in Application has it (value), but is \
        below Screen "left", from which lookups go up.
        help: Provide Theme at Screen "left" or above, for example at Application.
        """)
  }

  @Test("A provider beside the way is named", arguments: Strategy.allCases)
  func beside(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    _ = tree.right.expect(Theme.self)
    let explanation = tree.page.explain(Theme.self)
    #expect(explanation.asker == "Page \"page\" in Screen \"left\" in Application")
    #expect(
      explanation.hops.map(\.responder) == ["Page \"page\"", "Screen \"left\"", "Application"])
    #expect(explanation.nearMisses.map(\.place) == ["beside the way"])
    #expect(explanation.nearMisses.map(\.path) == ["Screen \"right\" in Application"])
    #expect(explanation.nearMisses.map(\.slot) == [.pending])
  }

  @Test(
    "A provider in a detached tree is named, and so is where one was detached",
    arguments: Strategy.allCases)
  func detached(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.right.provide(Theme("dark"))
    tree.right.removeFromParent()
    let explanation = tree.leaf.explain(Theme.self)
    #expect(explanation.nearMisses.map(\.place) == ["in a detached tree"])
    #expect(explanation.nearMisses.map(\.path) == ["Screen \"right\""])
    tree.application.provide(Session("ann"))
    let other = tree.uncle.explain(Session.self)
    #expect(other.notes == ["Screen \"right\" was detached from Application."])
    #expect(
      other.nearMisses.map(\.place) == ["in the tree that Screen \"right\" was detached from"])
  }

  @Test(
    "A blocked lookup says where it is blocked and what lies behind",
    arguments: Strategy.allCases)
  func blocked(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("dark"))
    tree.left.block(Theme.self)
    let error = #expect(throws: ContextError.self) { try tree.page.require(Theme.self) }
    #expect(error?.state.description == "blocked")
    #expect(
      error?.description == """
        Theme for Page "page" in Screen "left" in Application: blocked by Screen "left"
          asked Page "page": no slot
          then  Screen "left": block
        note: Application has it (value), but is above Screen "left", where the lookup ends.
        help: Provide Theme below Screen "left", or withdraw the block there.
        """)
  }

  @Test("A failure carries its error", arguments: Strategy.allCases)
  func failed(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.expect(Theme.self).fail(Mishap("disk full"))
    tree.application.drain()
    let error = #expect(throws: ContextError.self) { try tree.right.require(Theme.self) }
    #expect(error?.state.description == "failed: \(Mishap("disk full"))")
    #expect(error?.underlying as? Mishap == Mishap("disk full"))
    #expect(
      error?.description == """
        Theme for Screen "right" in Application: failed at Application: disk full
          asked Screen "right": no slot
          then  Application: failed
        help: Load or provide Theme again at Application.
        """)
  }

  @Test(
    "A value is explained by its provider, a branch by what it inherits",
    arguments: Strategy.allCases)
  func values(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self)
    #expect(
      tree.uncle.explain(Notebook.self).description == """
        Notebook for Page "uncle" in Screen "right" in Application: a value (root), provided by \
        Application
          asked Page "uncle": no slot
          then  Screen "right": no slot
          then  Application: value
        """)
    #expect(
      tree.page.explain(Notebook.self).outcome
        == "a branch of Screen \"left\", which inherits a value (root), provided by Application")
    _ = tree.page.context(Notebook.self)
    #expect(
      tree.page.explain(Notebook.self).outcome
        == "a value (root/1), a child made by the branch of Screen \"left\"")
  }

  @Test("The states and the outcome of require agree with resolve", arguments: Strategy.allCases)
  func require(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    _ = tree.application.expect(Theme.self)
    let error = #expect(throws: ContextError.self) { try tree.leaf.require(Theme.self) }
    #expect(error?.state.description == "pending")
    #expect(error?.isOverdue == false)
    tree.application.provide(Theme("dark"))
    #expect(try tree.leaf.require(Theme.self) == Theme("dark"))
  }

  @Test("A block beside the way is not named as a provider", arguments: Strategy.allCases)
  func blockElsewhere(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.right.block(Theme.self)
    let explanation = tree.left.explain(Theme.self)
    #expect(!explanation.description.contains("has it"), "\(explanation)")
    #expect(!explanation.advice.joined().contains("attach it below"), "\(explanation)")
  }

  @Test(
    "A subtree that has moved to another application is in no detached tree",
    arguments: Strategy.allCases)
  func movedAway(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let other = Application(strategy: strategy)
    other.debugName = "other"
    tree.right.provide(Theme("dark"))
    tree.right.removeFromParent()
    try other.append(tree.right)
    let misses = tree.leaf.explain(Theme.self).nearMisses
    #expect(!misses.contains { $0.place == "in a detached tree" }, "\(misses)")
  }

  @Test("Of a long way only responders without a slot are left out", arguments: Strategy.allCases)
  func longWay(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    var bottom: Responder = application
    for number in 0..<20 {
      let next = Page("\(number)")
      try bottom.append(next)
      bottom = next
    }
    Array(bottom.chain)[9].branch(Notebook.self)
    let text = bottom.explain(Notebook.self).description
    #expect(text.contains("then  Page \"10\": branch, follow"), "\(text)")
    #expect(text.contains("… 8 more without a slot …"), "\(text)")
  }

  @Test("The block's own responder is told what helps it", arguments: Strategy.allCases)
  func ownBlock(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.left.block(Theme.self)
    #expect(
      tree.left.explain(Theme.self).advice
        == ["Withdraw the block of Screen \"left\", or provide Theme there instead."])
    tree.left.provide(Theme("here"))
    #expect(tree.left.context(Theme.self) == Theme("here"))
  }
}
