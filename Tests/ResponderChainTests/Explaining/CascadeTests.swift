import LineageTestSupport
import ResponderChain
import Testing

/// A slow and obvious explanation by the oracle.
private struct Cascade: Equatable, CustomStringConvertible {
  /// The hops with slots on the whole way to the top.
  var slots: [Int]
  /// The hops to the slot that decides.
  var winner: Int?
  var isBlocked: Bool

  var description: String { "slots \(slots), winner \(winner ?? -1), blocked \(isBlocked)" }
}

extension Oracle {
  fileprivate func cascade(_ node: Int, _ key: Int) -> Cascade {
    let way = sequence(first: node) { self.nodes[$0].parent }.map { self.nodes[$0].slots[key] }
    let slots = way.indices.filter { way[$0] != nil }
    let winner = slots.first { hops in
      if case .branch(let branch)? = way[hops] { branch.child != nil } else { true }
    }
    let isBlocked = if let winner, case .block? = way[winner] { true } else { false }
    return Cascade(slots: slots, winner: winner, isBlocked: isBlocked)
  }

  /// Returns whether a winner of a kind fits the answer of a lookup that makes no child.
  fileprivate func fits(_ kind: SlotSummary.SlotKind?, _ answer: Answer) -> Bool {
    switch (kind, answer) {
    case (nil, .missing), (.pending, .pending), (.failed, .failed), (.block, .blocked): true
    case (.value, .value), (.value, .unmade): true
    // A branch whose child would be dropped at the next read has any answer that it inherits.
    case (.branch, _): true
    default: false
    }
  }
}

extension Explanation {
  fileprivate var cascade: Cascade {
    Cascade(
      slots: (hops.filter { $0.slot != nil } + shadowed + beyond).map(\.distance),
      winner: winner?.distance, isBlocked: winner?.slot == .block)
  }
}

@Suite("What explanations say of slots above the winner")
struct CascadeTests {
  static let programs = rounds(160)

  @Test("In random trees, they agree with the oracle", arguments: Strategy.allCases)
  func random(_ strategy: Strategy) throws {
    for seed in 1...UInt64(Self.programs) {
      let program = Generator.program(seed: seed, steps: 60).program
      let (oracle, subject) = (Oracle(program), Subject(program, strategy: strategy))
      for (number, step) in program.steps.enumerated() {
        _ = (oracle.perform(step), subject.perform(step))
        if number % 12 == 11 { try compare(subject, oracle, "seed \(seed), step \(number)") }
      }
    }
  }

  private func compare(_ subject: Subject, _ oracle: Oracle, _ place: String) throws {
    let keys = Set(oracle.nodes.flatMap(\.slots.keys))
    for node in oracle.nodes.indices where oracle.nodes[node].isAlive {
      let responder = try #require(subject.nodes[node].responder)
      for key in keys {
        let explanation = responder.explain(ModelKeys.all[key])
        let (found, expected) = (explanation.cascade, oracle.cascade(node, key))
        let answer = oracle.resolve(node, key, makingChildren: false)
        #expect(found == expected, "\(place), n\(node), key \(key)")
        #expect(
          oracle.fits(explanation.winner?.slot, answer), "\(place), n\(node), key \(key): \(answer)"
        )
        #expect(explanation.hops.map(\.distance) == Array(explanation.hops.indices))
        #expect(explanation.beyond.isEmpty || explanation.winner?.slot == .block)
        #expect(explanation.shadowed.isEmpty || explanation.winner?.slot != .block)
        #expect(explanation.winner != nil || explanation.hops.count == responder.depth + 1)
      }
    }
  }

  @Test("A value shadows, and a block hides", arguments: Strategy.allCases)
  func kinds(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("dark"))
    tree.left.provide(Theme("light"))
    let shadowing = tree.leaf.explain(Theme.self)
    #expect(shadowing.winner?.responder == "Screen \"left\"")
    #expect(shadowing.shadowed.map(\.responder) == ["Application"])
    #expect(shadowing.shadowed.map(\.distance) == [3])
    #expect(shadowing.beyond.isEmpty)
    let text = shadowing.description
    tree.page.block(Theme.self)
    let blocked = tree.leaf.explain(Theme.self)
    #expect(blocked.winner?.slot == .block)
    #expect(blocked.beyond.map(\.responder) == ["Screen \"left\"", "Application"])
    #expect(blocked.shadowed.isEmpty)
    // The text ends at the winner, as it did before.
    try tree.page.withdraw(Theme.self)
    try tree.application.withdraw(Theme.self)
    #expect(tree.leaf.explain(Theme.self).description == text)
  }

  @Test("A branch inherits from the first slot above", arguments: Strategy.allCases)
  func branches(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self)
    // A branch without a child does not answer.
    #expect(tree.leaf.explain(Notebook.self).winner?.distance == 3)
    _ = tree.leaf.context(Notebook.self)
    let explanation = tree.leaf.explain(Notebook.self)
    #expect(explanation.winner?.slot == .branch(.follow))
    #expect(explanation.shadowed.map(\.responder) == ["Application"])
  }

  @Test("A key whose type is not known is explained, too")
  func untyped() throws {
    let tree = try SmallTree()
    tree.application.provide(Theme("dark"))
    tree.application.on(String.self) { _, _ in }
    let keys = tree.application.slotSummaries.map(\.key)
    #expect(keys.count == 2)
    for key in keys { #expect(tree.leaf.explain(key).winner?.distance == 3) }
    #expect(tree.leaf.explain(keys[1]).description == tree.leaf.explain(Theme.self).description)
  }
}
