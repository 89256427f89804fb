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

  @Test("A merge of 200 rows takes one trip for all of them")
  func trips() async throws {
    let journal = Journal()
    let (mine, theirs) = try await JournalStore.two(of: journal, Library.entities)
    let context = mine.makeContext()
    let cards = try (0..<200).map { try context.insert(Card("c\($0)", rightCount: $0)) }
    try context.save()
    let others = theirs.makeContext()
    for card in try others.fetch(Card.self) { card.rightCount += 1_000 }
    try others.save()
    let before = journal.tripCount
    try context.merge()
    #expect(journal.tripCount - before < 5)
    #expect(cards[7].rightCount == 1_007)
  }
}
