import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that a context announces the rows that it reads next. A remote store can then read all
/// rows of a merge in one round trip.
@Suite("Rows that are asked for next")
struct AnnouncedRowsTests {
  private typealias Announcements = CountingStore.Announcements

  private let store: CountingStore
  private let root: ObjectContext
  private let theirs: ObjectContext
  private let cards: [Object<Card>]

  init() throws {
    let memory = try MemoryStore(Library.entities)
    store = CountingStore(memory)
    root = ObjectContext(store: store)
    theirs = memory.makeContext()
    let deck = try root.insert(Deck("deck"))
    let context = root
    cards = try (0..<200).map { try context.insert(Card("c\($0)", rightCount: $0)) }
    for card in cards { card.deck = deck }
    try root.save()
    _ = store.take()
  }

  private func othersChange(_ count: Int = 200) throws {
    for card in try theirs.fetch(Card.self, limit: count) { card.rightCount += 1_000 }
    try theirs.save()
  }

  @Test("The rows of a merge are announced before it reads them")
  func merging() throws {
    try othersChange()
    try root.merge()
    #expect(store.take().announcements == Announcements(batches: 1, largest: 200, expected: 200))
    #expect(cards[7].rightCount == 1_007)
  }

  @Test("A slice announces its rows, and one row is not announced")
  func slices() throws {
    try othersChange()
    while try root.merge(upTo: 150) {}
    #expect(store.take().announcements == Announcements(batches: 2, largest: 150, expected: 200))
    try othersChange(1)
    try root.merge()
    #expect(store.take().announcements == Announcements(unexpected: 1))
  }

  @Test("More rows than 500 are announced in pieces")
  func pieces() throws {
    let more = try (0..<1_000).map { try root.insert(Card("m\($0)")) }
    try root.save()
    _ = store.take()
    try root.refresh()
    #expect(store.take().announcements == Announcements(batches: 3, largest: 500, expected: 1_200))
    #expect(more.count == 1_000)
  }

  @Test("A list announces the rows that its context does not hold")
  func list() throws {
    let memory = try MemoryStore(Library.entities)
    let store = CountingStore(memory)
    let context = ObjectContext(store: store)
    for number in 0..<400 { try context.insert(Card("c\(number)", rightCount: number)) }
    try context.save()
    let list = try LiveList(FetchRequest<Card>(sort: { $0.rightCount }), in: context)
    let others = memory.makeContext()
    for number in 0..<100 { try others.insert(Card("o\(number)", rightCount: -number)) }
    try others.save()
    _ = store.take()
    try context.merge()
    #expect(list.count == 500)
    #expect(store.take().announcements == Announcements(batches: 1, largest: 100, expected: 100))
  }

  @Test("A save with contested objects announces all that it compares")
  func contested() throws {
    for card in cards { card.rightCount = -5 }
    try othersChange(100)
    try root.merge()
    _ = store.take()
    #expect(refusal { try root.save() } == "conflict")
    #expect(store.take().announcements == Announcements(batches: 2, largest: 100, expected: 200))
    root.conflictPolicy = .mine
    try root.save()
    #expect(store.take().announcements == Announcements(batches: 1, largest: 100, expected: 100))
  }

  @Test("Objects kept over a deletion are announced", arguments: [false, true])
  func kept(inChild: Bool) throws {
    let context = inChild ? root.makeChild() : root
    context.conflictPolicy = .mine
    root.conflictPolicy = .mine
    for card in try context.fetch(Card.self) { card.rightCount = -5 }
    for card in try theirs.fetch(Card.self) { try theirs.delete(card) }
    try theirs.save()
    try root.merge()
    _ = store.take()
    try context.saveAll()
    let counts = store.take().announcements
    #expect(counts.unexpected == 0 && counts.expected >= 200)
    #expect(try ObjectContext(store: store).count(Card.self) == 200)
  }

  @Test("Whether what delete rules have emptied was deleted above is announced, when others say so")
  func emptied() throws {
    for card in cards {
      card.deck = nil
      try root.insert(Learner("l")).favourite = card
    }
    try root.save()
    let learners = try root.fetch(Learner.self)
    let child = root.makeChild()
    let copies = try child.fetch(Learner.self)
    for card in try child.fetch(Card.self) { try child.delete(card) }
    for card in try theirs.fetch(Card.self) { try theirs.delete(card) }
    try theirs.save()
    _ = store.take()
    try root.merge()
    let counts = store.take().announcements
    #expect(counts.unexpected == 0 && counts.expected >= 200)
    #expect(copies.allSatisfy { $0.favourite == nil } && learners.count == 200)
    child.discard()
    root.discard()
    #expect(store.take().announcements.unexpected == 0)
  }
}
