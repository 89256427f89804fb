import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

@Suite("Background work", .hangGuard)
@MainActor
struct BackgroundTests {
  /// An application that provides a context of a store in a new folder.
  private struct Desk {
    let folder: Drawer
    let store: SQLiteStore
    let application = Application()
    let context: ObjectContext

    init() async throws {
      folder = try Drawer()
      store = try await SQLiteStore.open(at: folder.file("cards.sqlite"), Library.entities)
      application.provide(store.makeContext())
      context = try application.require(ObjectContext.self)
    }
  }

  /// Inserts cards in batches. Saves each batch and reports the progress.
  private nonisolated static func insert(
    _ count: Int, in context: ObjectContext, _ progress: WorkProgress
  ) throws {
    for first in stride(from: 0, to: count, by: 100) {
      for number in first..<first + 100 {
        try context.insert(LineageTestSupport.Card("card \(number)"))
      }
      try context.save()
      try progress.report(first + 100, of: count)
    }
  }

  @Test("An import arrives in a list in slices, in whichever round they are applied")
  func slices() async throws {
    let desk = try await Desk()
    let (store, application, context) = (desk.store, desk.application, desk.context)
    let list = try LiveList(
      FetchRequest<LineageTestSupport.Card>(sort: { $0.question }), in: context)
    let reports = Mutex<[Int]>([])
    try await store.background(progress: { progress in
      reports.withLock { $0.append(progress.completed) }
    }) { context, progress in
      try Self.insert(1_000, in: context, progress)
    }
    #expect(reports.withLock { $0 } == Array(stride(from: 100, through: 1_000, by: 100)))
    var rounds = 0
    while application.drain() > 0 { rounds += 1 }
    #expect(rounds > 0 && list.count == 1_000)
    #expect(list.map(\.question) == (0..<1_000).map { "card \($0)" }.sorted())
  }

  @Test("A list of hundreds of rows reads no row of an import that it does not show")
  func cost() throws {
    let memory = try MemoryStore(Library.entities)
    let store = CountingStore(memory)
    let application = Application()
    application.provide(store.makeContext())
    let list = try LiveList(
      FetchRequest<LineageTestSupport.Card>(where: { $0.rightCount >= 0 }),
      in: try application.require(ObjectContext.self))
    func commit(_ count: Int, rightCount: Int) throws {
      let other = memory.makeContext()
      for number in 0..<count {
        try other.insert(LineageTestSupport.Card("card \(number)", rightCount: rightCount))
      }
      try other.save()
      application.drain()
    }
    try commit(450, rightCount: 1)
    _ = store.take()
    try commit(5_000, rightCount: -1)
    let counts = store.take()
    #expect(list.count == 450)
    #expect(counts.calls.lookups == 0 && counts.calls.queries == 10 && counts.moments == 10)
  }

  @Test("However many commits there were, one letter waits in the mailbox")
  func oneLetter() async throws {
    let desk = try await Desk()
    let (store, application, context) = (desk.store, desk.application, desk.context)
    let list = try LiveList(
      FetchRequest<LineageTestSupport.Card>(sort: { $0.question }), in: context)
    for _ in 0..<2 {
      application.drain()
      try await store.background { context, progress in
        try Self.insert(1_000, in: context, progress)
      }
      #expect(application.mailbox.count == 1)
    }
    application.drain()
    #expect(list.count == 2_000)
  }

  @Test("Cancelled work keeps the batches it has saved, and nothing of the next")
  func cancelled() async throws {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file("cards.sqlite"), Library.entities)
    let work = Task.detached {
      try await store.background(progress: { progress in
        if progress.completed == 300 { progress.cancel() }
      }) { context, progress in
        try Self.insert(1_000, in: context, progress)
      }
    }
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(try store.makeContext().count(LineageTestSupport.Card.self) == 300)
    await #expect(throws: Mishap.self) {
      try await store.background { context, _ in
        try context.insert(LineageTestSupport.Card("never"))
        throw Mishap("enough")
      }
    }
    #expect(try store.makeContext().count(LineageTestSupport.Card.self) == 300)
    // Changes that the closure leaves unsaved are saved at its end.
    try await store.background { context, _ in
      _ = try context.insert(LineageTestSupport.Card("last"))
    }
    #expect(try store.makeContext().count(LineageTestSupport.Card.self) == 301)
  }

  @Test("What is edited while others save stays changed, and the next save writes only that")
  func editedMeanwhile() async throws {
    let desk = try await Desk()
    let (store, application, context) = (desk.store, desk.application, desk.context)
    let card = try context.insert(LineageTestSupport.Card("base"))
    try context.save()

    let (isWorking, isEdited) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let id = card.id
    let work = Task.detached {
      try await store.background { context, _ in
        try context.object(with: id).answer = "theirs"
        isWorking.signal()
        isEdited.wait()
        try context.save()
      }
    }
    try await onThread { isWorking.wait() }
    card.question = "mine"
    isEdited.signal()
    try await work.value
    application.drain()
    #expect(card.value.question == "mine" && card.answer == "theirs")
    #expect(card.changes.properties == ["question"])
    try context.save()
    let stored = try store.makeContext().object(with: id)
    #expect(stored.question == "mine" && stored.answer == "theirs")
  }

  @Test("A conflict with background work ends as the context's policy says")
  func conflict() async throws {
    let store = try MemoryStore(Library.entities)
    let context = store.makeContext()
    let card = try context.insert(LineageTestSupport.Card("first"))
    try context.save()
    let id = card.id
    card.question = "mine"
    try await store.background { context, _ in
      try context.object(with: id).question = "theirs"
    }
    #expect(throws: GraphError.self) { try context.save() }
    context.conflictPolicy = .mine
    try context.save()
    #expect(try store.makeContext().object(with: id).question == "mine")
  }

  @Test("A thousand trees, each in a task of its own, share one store")
  func manyTrees() async throws {
    let store = try MemoryStore(Library.entities)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let application = Application()
          let controller = Controller()
          try application.append(controller)
          application.provide(store.makeContext())
          controller.branch(ObjectContext.self)
          let context = try controller.require(ObjectContext.self)
          try context.insert(LineageTestSupport.Card("card \(number)"))
          try context.saveAll()
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.makeContext().count(LineageTestSupport.Card.self) == 1_000)
  }

  @Test("A list fetched between two slices of a merge is right after each")
  func betweenSlices() throws {
    let store = try MemoryStore(Library.entities)
    let context = store.makeContext()
    for number in 0..<600 {
      try context.insert(LineageTestSupport.Card("card \(number)", rightCount: number))
    }
    try context.save()
    let request = FetchRequest<LineageTestSupport.Card>(sort: { $0.rightCount })
    let held = try context.fetch(request)
    let other = store.makeContext()
    for card in try other.fetch(LineageTestSupport.Card.self) {
      card.rightCount = -card.rightCount % 97
    }
    try other.save()
    _ = try context.merge(upTo: 200)
    let list = try LiveList(request, in: context)
    while try context.merge(upTo: 50) {}
    #expect(list.map(\.id) == (try store.makeContext().fetch(request)).map(\.id))
    held[3].rightCount = 1_000
    #expect(list.last === held[3])
    // An explicit merge includes newer commits, although a slice of older ones is left over.
    for card in try other.fetch(LineageTestSupport.Card.self) { card.rightCount += 1 }
    try other.save()
    _ = try context.merge(upTo: 10)
    try other.fetch(request)[0].question = "newest"
    try other.save()
    try context.merge()
    #expect(held.contains { $0.question == "newest" })
    context.discard()
  }
}
