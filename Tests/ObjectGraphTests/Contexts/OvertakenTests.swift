import LineageTestSupport
import ObjectGraph
import Synchronization
import Testing

@Suite("Saves that somebody else is always faster than")
struct OvertakenTests {
  /// Creates a card in a context. Before each later commit, another context increases the card's
  /// `rightCount` and saves.
  private func start(
    _ stores: Stores, _ policy: ConflictPolicy
  ) async throws -> (
    overtaking: OvertakingStore, store: CountingStore, context: ObjectContext, card: Object<Card>
  ) {
    let opened = try await stores.open()
    let overtaking = OvertakingStore(opened.store)
    let store = CountingStore(overtaking)
    let context = ObjectContext(store: store)
    let card = try context.insert(Card("base"))
    try context.save()
    let (base, id) = (opened.store, card.id)
    overtaking.overtake {
      let other = ObjectContext(store: base)
      try other.object(with: id).rightCount += 1
      try other.save()
    }
    context.conflictPolicy = policy
    card.rightCount = 100
    _ = store.take()
    return (overtaking, store, context, card)
  }

  @Test(
    "From the third try on, a fixed policy decides while nobody else can write",
    arguments: Stores.all)
  func mine(_ stores: Stores) async throws {
    let (_, store, context, card) = try await start(stores, .mine)
    try context.save()
    #expect(store.take().calls.commits == 3)
    #expect(card.rightCount == 100 && !context.hasUnsavedChanges)
    #expect(try ObjectContext(store: store).object(with: card.id).rightCount == 100)
  }

  @Test("The policy theirs does so, too, and takes the last value", arguments: Stores.all)
  func theirs(_ stores: Stores) async throws {
    let (_, store, context, card) = try await start(stores, .theirs)
    card.question = "mine"
    try context.save()
    let stored = try ObjectContext(store: store).object(with: card.id)
    #expect(stored.question == "mine" && stored.rightCount == card.rightCount)
    #expect(!context.hasUnsavedChanges)
  }

  @Test(
    "A closure is asked eight times at most; then the save says what overtook it",
    arguments: Stores.all)
  func resolve(_ stores: Stores) async throws {
    var asked = 0
    let (overtaking, store, context, card) = try await start(
      stores,
      .resolve { _ in
        asked += 1
        return .mine
      })
    guard case .overtaken(let reports)? = reason({ try context.save() }) else {
      Issue.record("not overtaken")
      return
    }
    #expect(asked == 7 && store.take().calls.commits == 8)
    #expect(reports.map(\.object) == ["\(card.id)"])
    #expect(reports.map(\.properties) == [["rightCount"]])
    #expect(card.rightCount == 100 && card.changes.properties == ["rightCount"])
    overtaking.overtake {}
    try context.save()
    #expect(try ObjectContext(store: store).object(with: card.id).rightCount == 100)
  }

  @Test("The closure may save other contexts", arguments: Stores.all)
  func nested(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.insert(Card("base"))
    try context.save()
    let other = opened.makeContext()
    try other.object(with: card.id).rightCount = 1
    try other.save()
    card.rightCount = 2
    context.conflictPolicy = .resolve { _ in
      let log = opened.makeContext()
      try log.insert(Learner())
      try log.save()
      return .mine
    }
    try context.save()
    #expect(try opened.makeContext().object(with: card.id).rightCount == 2)
    #expect(try context.count(Learner.self) == 1)
  }

  @Test(
    "A deletion that a policy took back inside a commit is not written by its next attempt",
    arguments: Stores.all)
  func takenBack(_ stores: Stores) async throws {
    let base = try await stores.open([Badge.self]).store
    let store = OvertakingStore(base)
    let context = ObjectContext(store: store)
    let badges = try ["one", "two", "x"].map { try context.insert(Badge($0)) }
    try context.save()
    let ids = badges.map(\.id)
    let commits = Atomic(0)
    // The first two conflicts are decided before the third commit, which finds one more.
    store.overtake {
      let other = ObjectContext(store: base)
      let commit = commits.add(1, ordering: .relaxed).oldValue
      try other.object(with: ids[commit]).code = 10 + commit
      try other.save()
    }
    context.conflictPolicy = .theirs
    for badge in badges { badge.code = 1 }
    try context.delete(badges[2])
    try context.insert(Badge("x"))
    #expect(refusal { try context.save() } == "notUnique")
    let stored = try ObjectContext(store: base).fetch(Badge.self)
    #expect(stored.map(\.id) == ids && stored.map(\.code) == [10, 11, 12])
    context.discard()
  }
}
