import LineageJournalStore
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A store made of a journal")
struct JournalStoreLawTests {
  @Test("obeys the laws of stores", arguments: StoreLaw.all)
  func obeys(_ law: StoreLaw) async throws {
    try law.check(try await JournalStore.open(Journal(), StoreLaw.entities))
  }

  @Test("Lists over two stores of a journal equal fresh fetches after each of many edits")
  func lists() async throws {
    for isOfOneStore in [true, false] {
      try await checkPrograms(
        of: [SplitMix64.seed(4_711)],
        making: { SeededProgram(seed: $0, count: rounds(100)) },
        check: { program in
          let (one, two) = try await JournalStore.two(of: Journal(), [Note.self, Topic.self])
          let other = isOfOneStore ? one : two
          var lists = try ListProgram(root: one.makeContext(), other: other.makeContext())
          return try lists.run(program)
        })
    }
  }

  /// The operations whose requests to the journal are counted.
  enum Operation: String, CaseIterable {
    case fetch, object, laterObject, save, end, merge, refresh, deletion

    var limit: Int {
      switch self {
      case .end: 0
      case .laterObject: 1
      case .fetch, .object, .save: 2
      case .merge, .refresh: 4
      case .deletion: 8
      }
    }
  }

  @Test("Operations take few trips", arguments: Operation.allCases)
  func trips(_ operation: Operation) async throws {
    let journal = Journal()
    let (mine, theirs) = try await JournalStore.two(of: journal, Library.entities)
    let (context, others) = (mine.makeContext(), theirs.makeContext())
    let deck = try context.insert(Deck("deck"))
    let cards = try (0..<1_000).map { try context.insert(Card("c\($0)", rightCount: $0)) }
    for card in cards.prefix(100) { card.deck = deck }
    try context.save()
    let ids = cards.map(\.id)
    for card in try others.fetch(Card.self, sort: { $0.id }).suffix(200) {
      card.rightCount += 1_000
    }
    let fresh = mine.makeContext()
    switch operation {
    case .laterObject: _ = try fresh.find(ids[0])
    case .save: cards[0].rightCount = 7
    case .end: _ = try fresh.fetch(Card.self)
    case .merge: try others.save()
    case .fetch, .object, .refresh, .deletion: break
    }
    let before = journal.tripCount
    switch operation {
    case .fetch: #expect(try fresh.fetch(Card.self).count == 1_000)
    case .object, .laterObject: #expect(try fresh.find(ids[1])?.rightCount == 1)
    case .save: try context.save()
    case .end: fresh.discard()
    case .merge:
      try context.merge()
      #expect(cards[900].rightCount == 1_900)
    case .refresh: try context.refresh()
    case .deletion:
      try context.delete(deck)
      try context.save()
    }
    let trips = journal.tripCount - before
    #expect(trips <= operation.limit, "\(trips)")
  }
}
