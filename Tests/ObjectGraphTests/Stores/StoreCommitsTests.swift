import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("The commits of a store as a sequence", .hangGuard) struct StoreCommitsTests {
  @Test("Each element has what has changed since the previous one", arguments: Stores.all)
  func changes(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    var commits = StoreCommits(of: opened.store).makeAsyncIterator()
    let cards = try ["a", "b", "c"].map { try context.insert(Card($0)) }
    try context.insert(Deck("d"))
    try context.save()
    let first = try #require(await commits.next())
    #expect(first.saved(Card.self) == Set(cards.map(\.id)) && first.saved(Deck.self).count == 1)
    #expect(first.deleted(Card.self).isEmpty && !first.isEverything)
    #expect(first.saved(Learner.self).isEmpty)
    // Several commits meet in one element. A save that fails, and one of a child, are none.
    let other = opened.makeContext()
    try other.object(with: cards[0].id).question = "x"
    try other.save()
    try other.delete(other.object(with: cards[1].id))
    try other.save()
    let bad = try other.insert(Card("forbidden"))
    #expect(throws: GraphError.self) { try other.save() }
    try other.delete(bad)
    let child = context.makeChild()
    try child.object(with: cards[2].id).question = "y"
    try child.save()
    let second = try #require(await commits.next())
    #expect(second.saved(Card.self) == [cards[0].id] && second.deleted(Card.self) == [cards[1].id])
    try context.merge()
    try context.save()
    let third = try #require(await commits.next())
    #expect(third.saved(Card.self) == [cards[2].id] && third.date >= second.date)
  }

  @Test("Another program's commits are heard, too")
  func others() async throws {
    let url = try Folder.fresh().appendingPathComponent("store.sqlite")
    let one = try await SQLiteStore.open(at: url, Library.entities)
    let other = try await SQLiteStore.open(at: url, Library.entities)
    var commits = one.commits.makeAsyncIterator()
    let context = other.makeContext()
    let card = try context.insert(Card("a"))
    try context.save()
    var heard: Set<Ref<Card>> = []
    while heard.isEmpty {
      let commit = try #require(await commits.next())
      if commit.isEverything { return }
      heard.formUnion(commit.saved(Card.self))
    }
    #expect(heard == [card.id])
  }

  @Test("A loop ends with its task, and retains nothing afterwards")
  func ending() async throws {
    weak var former: MemoryStore?
    do {
      let store = try MemoryStore(Library.entities)
      former = store
      let loop = Task { [commits = store.commits] in
        var count = 0
        for await _ in commits { count += 1 }
        return count
      }
      loop.cancel()
      #expect(await loop.value == 0)
    }
    #expect(former == nil)
  }
}
