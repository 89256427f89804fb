import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

/// A store that keeps its rows in another store. It makes its own commits, news and contexts.
private final class ShelfStore: ObjectStore {
  private let shelf: MemoryStore
  private let inboxes = Inboxes()
  private let writing = Mutex(())
  private let queue = BackgroundQueue()
  var id: String { shelf.id }
  var model: Model { shelf.model }

  init(_ entities: [any Entity.Type]) throws { shelf = try MemoryStore(entities) }

  func makeReader() throws -> any StoreReader { PostingReader(try shelf.makeReader(), of: self) }
  func receipts(of ids: [UUID]) throws -> [UUID: Int64] { try shelf.receipts(of: ids) }
  func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }
  func postForeignCommits() throws { writing.withLock { _ in } }
  func observeForeignCommits() -> AnyObject? { nil }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    defer { inboxes.wake() }  // not under the lock: the contexts may commit at once
    try writing.withLock { _ in
      let news = try CommitConflict.retrying(writes, by: resolving, shelf.row) {
        try write($0, receipts)
      }
      inboxes.post(news, except: inbox)
    }
  }

  private func write(_ writes: [Write], _ receipts: [Receipt]) throws -> News {
    try shelf.commit(writes, receipts, from: nil, resolving: nil)
    return News(writes)
  }

  func makeContext() -> ObjectContext { ObjectContext(store: self) }

  func background<Result: Sendable>(
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result { try await queue.run(on: self, progress: nil, work) }
}

extension ArticleTests {
  @Test("A store obeys the laws of stores", arguments: StoreLaw.all)
  func obeys(_ law: StoreLaw) throws { try law.check(ShelfStore(StoreLaw.entities)) }

  @Test("A store's commits reach its other contexts, and conflicts are resolved")
  func shelf() async throws {
    let store = try ShelfStore([Card.self, Deck.self])
    let context = store.makeContext()
    let card = try context.insert(Card(question: "2 + 2?"))
    try context.save()
    let id = card.id
    try await store.background { context, _ in try context.object(with: id).rightCount = 2 }
    card.rightCount = 1
    context.conflictPolicy = .mine
    try context.save()
    #expect(try store.makeContext().values(Card.self).map(\.rightCount) == [1])
    try await store.background { context, _ in try context.object(with: id).rightCount = 3 }
    try context.merge()
    #expect(card.rightCount == 3)
  }
}
