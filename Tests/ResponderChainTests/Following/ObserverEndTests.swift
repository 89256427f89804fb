import LineageTestSupport
import ResponderChain
import Testing

/// Tests of the end of observations. Either the token or a running round may be the last to use the
/// closure of an observer.
@Suite("Observations that end elsewhere", .hangGuard)
struct ObserverEndTests {
  @Test(
    "A token that is dropped on another thread while a round calls lets go of its closure once",
    arguments: Strategy.allCases)
  func elsewhere(_ strategy: Strategy) async throws {
    let census = Census()
    for _ in 0..<20 {
      let tree = try SmallTree(strategy)
      var tokens: [ContextObservation] = []
      for number in 0..<200 {
        let citizen = Citizen(of: census)
        tokens.append(
          tree.all[number % 6].observe(Theme.self) { _, _ in withExtendedLifetime(citizen) {} })
      }
      let handover = Handover(tokens)
      tokens = []
      async let dropped: Void = onThread {
        var tokens = handover.take() ?? []
        while !tokens.isEmpty { tokens.removeLast() }
      }
      for number in 0..<100 { tree.application.provide(Theme("\(number)")) }
      try await dropped
      #expect(census.population == 0, "the tree is still there")
      #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    }
  }

  @Test("One that ends in a callback lets go when the round is over", arguments: Strategy.allCases)
  func inCallback(_ strategy: Strategy) throws {
    let census = Census()
    let tree = try SmallTree(strategy)
    var tokens: [ContextObservation] = []
    var calls = 0
    for _ in 0..<40 {
      let citizen = Citizen(of: census)
      tokens.append(
        tree.leaf.observe(Theme.self) { _, theme in
          withExtendedLifetime(citizen) { calls += 1 }
          if theme.value != nil { tokens = [] }
        })
    }
    calls = 0
    tree.application.provide(Theme("dark"))
    #expect(calls == 1)
    #expect(census.population == 0)
  }

  @Test("What is heard stays for the call, whatever the call does", arguments: Strategy.allCases)
  func lent(_ strategy: Strategy) throws {
    let census = Census()
    var tree: SmallTree? = try SmallTree(strategy)
    var tokens: [ContextObservation] = []
    var heard: [String] = []
    let observe = { (leaf: Page) in
      tokens.append(
        leaf.observe(Notebook.self) { _, notebook in
          guard notebook.value != nil, heard.isEmpty else { return }
          // Everything that retains the value releases it.
          tree?.application.provide(Notebook("b", in: census))
          try? tree?.application.withdraw(Notebook.self)
          tokens = []
          tree = nil
          heard.append("\(notebook)")
        })
    }
    for _ in 0..<3 { if let tree { observe(tree.leaf) } }
    let application = tree?.application
    application?.provide(Notebook("a", in: census))
    #expect(heard == ["value a"])
    withExtendedLifetime(application) {}
  }

  @Test("One that ended keeps nothing of what it heard", arguments: Strategy.allCases)
  func heard(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let census = Census()
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    tree.application.provide(Notebook("a", in: census))
    token.cancel()
    _ = tree.application.expect(Notebook.self)
    #expect(census.population == 0)
  }

  @Test("What one captured goes with its responder, though token and child outlive that")
  func captured() throws {
    let census = Census()
    let child = Screen("child")
    let token: ContextObservation
    do {
      let parent = Screen("parent")
      try parent.append(child)
      token = parent.observe(Theme.self) { [citizen = Citizen(of: census)] _, _ in
        withExtendedLifetime(citizen) {}
      }
      #expect(census.population == 1)
    }
    #expect(census.population == 0)
    withExtendedLifetime((token, child)) {}
  }
}
