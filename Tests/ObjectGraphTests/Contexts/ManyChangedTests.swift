import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of to-many properties in contexts with many changed objects, whose lookups use an index.
@Suite("A to-many property has each object, however many are changed")
struct ManyChangedTests {
  @Test("An object that was set back and is changed again is found", arguments: [true, false])
  func setBack(byUndo: Bool) throws {
    let context = ObjectContext(store: try MemoryStore(Library.entities))
    context.recordsUndo = byUndo
    let shelf = try context.insert(Shelf("a"))
    let deck = try context.insert(Deck("x"))
    try context.save()
    for number in 0..<31 { try context.insert(Deck("\(number)")) }
    deck.name = "y"
    if byUndo { context.undo() } else { deck.name = "x" }
    #expect(try context.values(Deck.self, where: { $0.shelf == shelf }).isEmpty)
    #expect(shelf.decks.isEmpty)
    deck.shelf = shelf
    #expect(shelf.decks == [deck])
    guard case .denied? = reason({ try context.delete(shelf) }) else {
      Issue.record("the rule was skipped")
      return
    }
  }

  @Test("Random programs with 40 changed objects in each context", arguments: SplitMix64.seeds(20))
  func programs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let root = ObjectContext(store: try MemoryStore(Library.entities))
    let child = root.makeChild()
    let contexts = [root, child]
    let shelves = try (0..<3).map { try root.insert(Shelf("\($0)")).id }
    var decks = try (0..<20).map { try root.insert(Deck("stored \($0)")).id }
    try root.save()
    for context in contexts {
      context.recordsUndo = true
      context.conflictPolicy = .mine
      for number in 0..<40 {
        decks.append(try context.insert(Deck("\(context === root) \(number)")).id)
      }
    }
    for step in 0..<300 {
      let context = random.pick(contexts)
      let deck = try context.find(random.pick(decks))
      switch random.below(12) {
      case ..<5:
        let shelf = random.chance(30) ? nil : try context.find(random.pick(shelves))
        deck?.shelf = shelf
      case ..<7: deck?.name += "!"
      case 7: context.undo()
      case 8: context.redo()
      case 9: if let deck { try context.delete(deck) }
      case 10: if random.chance(10) { try context.save() }
      default: if random.chance(5) { context.discard() }
      }
      for context in contexts {
        let all = try context.fetch(Deck.self)
        for id in shelves {
          let shelf = try context.object(with: id)
          let expected = all.filter { $0.value.shelf == id }.map(\.id.key).sorted()
          #expect(shelf.decks.map(\.id.key) == expected, "seed \(seed), step \(step)")
        }
      }
    }
  }
}
