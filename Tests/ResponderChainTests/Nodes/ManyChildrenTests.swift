import LineageTestSupport
import ResponderChain
import Testing

/// Tests that many children stay in order, and that the cost of adding and removing them is
/// proportional to their number. The cost is the number of children that are visited or moved.
@Suite("Many children")
struct ManyChildrenTests {
  private static let count = 20_000

  private let parent = Screen("parent")

  private func fill(_ count: Int = Self.count) throws {
    for number in 0..<count { try parent.append(Screen("\(number)")) }
  }

  /// Removes a child and adds its cost to the number of steps.
  private func remove(_ child: Responder, _ steps: inout Int) {
    steps += parent.steps(toRemove: child)
    child.removeFromParent()
  }

  @Test("Removed first to last")
  func firstToLast() throws {
    try fill()
    var steps = 0
    while let child = parent.children.first { remove(child, &steps) }
    #expect(steps <= 3 * Self.count && parent.children.isEmpty)
    try fill()
    steps = 0
    for child in parent.children { remove(child, &steps) }
    #expect(steps <= 3 * Self.count && parent.children.isEmpty)
  }

  @Test("Removed last to first")
  func lastToFirst() throws {
    try fill()
    var steps = 0
    while let child = parent.children.last { remove(child, &steps) }
    #expect(steps <= 3 * Self.count)
  }

  @Test("Removed first to last beside a root view, a presented controller and a few that stay")
  func besideOthers() throws {
    let page = Page("page"), sheet = Screen("sheet")
    try parent.setRootView(page)
    try fill()
    try parent.present(sheet)
    var steps = 0
    while parent.children.count > 3 { remove(parent.children[3], &steps) }
    #expect(steps <= 20 * Self.count)
    #expect(parent.children.map(\.debugName) == ["0", "1", "2"])
    #expect(parent.rootView === page && parent.presented === sheet)
    #expect(parent.descendants.map(\.debugName) == ["page", "0", "1", "2", "sheet"])
    #expect(parent.checkInvariants() == [])
  }

  @Test("Moved to another parent, and within their own")
  func moved() throws {
    try fill()
    let other = Screen("other")
    var steps = 0
    for child in parent.children {
      steps += parent.steps(toRemove: child)
      try child.move(to: other)
    }
    #expect(parent.children.isEmpty && other.children.count == Self.count)
    for _ in 0..<2 {
      for child in other.children {
        steps += other.steps(toRemove: child)
        try other.reorder(child, to: Self.count - 1)
      }
    }
    #expect(steps <= 8 * Self.count)
    #expect(other.children.map(\.debugName) == (0..<Self.count).map { "\($0)" })
    // Moving the last child to each index in turn reverses the order. Two passes restore it.
    for _ in 0..<2 {
      for index in 0..<Self.count { try other.reorder(#require(other.children.last), to: index) }
    }
    #expect(other.children.map(\.debugName) == (0..<Self.count).map { "\($0)" })
  }

  @Test("Any sequence of changes leaves the order that an array has", arguments: 0..<40)
  func random(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var expected: [Responder] = []
    for step in 0..<1_500 {
      let isNearFront = Bool.random(using: &generator)
      let grows =
        expected.count < 60 || Int.random(in: 0..<(step < 700 ? 3 : 9), using: &generator) > 0
      let limit = isNearFront ? min(expected.count, 9) : expected.count
      if grows, step < 700 || step % 5 == 0 {
        let child = Screen("\(step)")
        let index = Int.random(in: 0...limit, using: &generator)
        try parent.insert(child, at: index)
        expected.insert(child, at: index)
      } else if let index = (0..<limit).randomElement(using: &generator) {
        let child = expected.remove(at: index)
        if step % 4 == 0 {
          let target = Int.random(in: 0...expected.count, using: &generator)
          try parent.reorder(child, to: target)
          expected.insert(child, at: target)
        } else {
          child.removeFromParent()
        }
      }
      guard step % 10 == 0 else { continue }
      let children = parent.children
      try #require(
        children.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init)
          && children.indices.allSatisfy { children[$0] === expected[$0] }
          && children.reversed().map(\.debugName) == expected.reversed().map(\.debugName),
        "seed \(seed), step \(step)")
    }
    #expect(parent.checkInvariants() == [])
  }

  @Test("All are released, whatever was removed before")
  func released() throws {
    let census = Census()
    do {
      let parent = Screen("parent", in: census)
      for number in 0..<200 { try parent.append(Screen("\(number)", in: census)) }
      for child in parent.children.prefix(50) { child.removeFromParent() }
      #expect(census.population == 151)
      try parent.insert(Screen("new", in: census), at: 0)
    }
    #expect(census.population == 0)
  }
}
