import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The cost of a save is in proportion to what it writes", .hangGuard)
struct CostTests {
  private final class Node: Controller {
    @Restorable("number") var number = 0
    @Restorable("all") var all: [Node] = []
    @Restorable("next") var next: Node?
  }

  private final class Wide: Controller, StateRestoring {
    var count = 0
    func encodeRestorableState(with coder: StateEncoder) throws {
      for key in 0..<count { try coder.encode(key, for: StateKey("key \(key)")) }
    }
    func decodeRestorableState(with coder: StateDecoder) throws {}
  }

  private static func restoration() -> Restoration {
    let restoration = Restoration {
      Kind("node", Node.init)
      Kind("wide", Wide.init)
    }
    restoration.limits.depth = 100_000
    return restoration
  }

  private static func node(below parent: Responder) throws -> Node {
    let node = Node()
    node.restorationIdentifier = "node"
    try parent.append(node)
    return node
  }

  private static func shuffled(_ nodes: [Node], _ seed: UInt64) -> [Node] {
    var random = SplitMix64(seed: seed)
    return nodes.shuffled(using: &random)
  }

  /// Returns the number of steps that the restoration takes in the closure, divided by the number
  /// of items.
  private static func steps(
    _ restoration: Restoration, _ count: Int, _ body: () throws -> Void
  ) rethrows -> Int {
    let before = restoration.steps
    try body()
    return (restoration.steps - before) / count
  }

  @Test("All of a deep chain has changed", arguments: [2_000, 8_000])
  func deepChanges(count: Int) throws {
    let app = Application()
    let restoration = Self.restoration()
    app.launch(restoring: restoration, from: nil)
    var nodes: [Node] = []
    for _ in 0..<count { nodes.append(try Self.node(below: nodes.last ?? app)) }
    let base = restoration.archive(of: app)
    for order in [nodes, nodes.reversed(), Self.shuffled(nodes, 7)] {
      for node in order { node.number += 1 }
      let steps = Self.steps(restoration, count) {
        _ = restoration.archive(of: app, asksAll: false)
      }
      #expect(steps <= 40)
    }
    #expect(base.count > 0)
  }

  @Test("One responder has the paths of many siblings, or each has one", arguments: [1_000, 4_000])
  func manySiblings(count: Int) throws {
    let app = Application()
    let restoration = Self.restoration()
    app.launch(restoring: restoration, from: nil)
    var nodes: [Node] = []
    for number in 0..<count {
      nodes.append(try Self.node(below: app))
      nodes[number].number = number
    }
    nodes[0].all = Self.shuffled(nodes, 3)
    for (one, other) in zip(nodes, Self.shuffled(nodes, 5)) { one.next = other }
    let expected = nodes[0].all.map(\.number)
    let others = nodes.map { $0.next?.number }
    var archive = restoration.archive(of: app)
    #expect(restoration.steps / count <= 40)
    for node in nodes { node.number += 0 }
    #expect(
      Self.steps(restoration, count) { archive = restoration.archive(of: app, asksAll: false) }
        <= 40)

    let again = Application()
    let last = Self.restoration()
    again.launch(restoring: last, from: archive)
    let restored = again.children.compactMap { $0 as? Node }
    #expect(restored.first?.all.map(\.number) == expected)
    #expect(restored.map { $0.next?.number } == others)
    #expect(last.steps / count <= 40)
    Self.part(nodes + restored)
  }

  @Test("Siblings that move while many paths are read and written are found at their places")
  func movingSiblings() throws {
    let app = Application()
    let restoration = Self.restoration()
    app.launch(restoring: restoration, from: nil)
    var nodes: [Node] = []
    for number in 0..<100 {
      nodes.append(try Self.node(below: app))
      nodes[number].number = number
    }
    nodes[0].all = nodes
    let seed = SplitMix64.seed(11)
    var random = SplitMix64(seed: seed)
    for round in 0..<30 {
      let node = nodes[Int.random(in: 0..<100, using: &random)]
      switch round % 3 {
      case 0: try app.reorder(node, to: Int.random(in: 0..<100, using: &random))
      case 1: node.restorationIdentifier = node.restorationIdentifier == "node" ? "other" : "node"
      default:
        node.removeFromParent()
        try app.insert(node, at: Int.random(in: 0..<100, using: &random))
      }
      for node in nodes { node.restorationKind = "node" }
      let archive =
        round % 2 == 0 ? restoration.archive(of: app, asksAll: false) : restoration.archive(of: app)
      let again = Application()
      again.launch(restoring: Self.restoration(), from: archive)
      let restored = again.children.compactMap { $0 as? Node }
      let first = restored.first { !$0.all.isEmpty }
      #expect(
        first?.all.map(\.number) == Array(0..<100), "LINEAGE_SEED=\(seed), round \(round)")
      Self.part(restored)
    }
    Self.part(nodes)
  }

  /// Removes the references between siblings, which would otherwise retain each other.
  private static func part(_ nodes: [Node]) {
    for node in nodes {
      node.all = []
      node.next = nil
    }
  }

  @Test("One record has many keys", arguments: [500, 5_000])
  func manyKeys(count: Int) throws {
    let app = Application()
    let restoration = Self.restoration()
    let wide = Wide()
    wide.restorationIdentifier = "wide"
    wide.count = count
    try app.append(wide)
    app.launch(restoring: restoration, from: nil)
    let first = restoration.archive(of: app)
    #expect(restoration.steps / count <= 2)
    // The next process reads none of the values, so the bytes of all values are copied.
    let again = Application()
    let last = Self.restoration()
    again.launch(restoring: last, from: first)
    #expect(last.archive(of: again).count == first.count)
    #expect(last.steps / count <= 2)
  }

  @Test("A key that was written before is found among many")
  func manyKeysTwice() throws {
    final class Twice: Controller, StateRestoring {
      var refused = 0
      func encodeRestorableState(with coder: StateEncoder) throws {
        for key in 0..<200 {
          try coder.encode(key, for: StateKey("key \(key)"))
          do { try coder.encode(key, for: StateKey("key \(key / 2)")) } catch { refused += 1 }
        }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    let app = Application()
    let twice = Twice()
    twice.restorationIdentifier = "twice"
    try app.append(twice)
    _ = Self.restoration().archive(of: app)
    #expect(twice.refused == 200)
  }
}
