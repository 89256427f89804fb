import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Synchronization
import Testing

@Suite("A read ends when nobody wants it any more") struct ReadEndTests {
  private let folder: Drawer
  private let store: SQLiteStore
  private static let rows = 20_000

  init() async throws {
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), [Item.self, Box.self])
    try store.insert(1...Self.rows)
  }

  private func isCancelled(_ error: any Error) -> Bool {
    if case .cancelled? = (error as? GraphError)?.reason { true } else { false }
  }

  /// Reads all rows, and calls `cancelling` after the first row. Returns the number of rows.
  private func readOn(_ reader: any StoreReader, cancelling: () -> Void) throws -> Int {
    let cursor = try reader.cursor(Query(entity: 0))
    defer { cursor.close() }
    #expect(try cursor.next() == 1)
    cancelling()
    var count = 1
    while try cursor.next() != nil { count += 1 }
    return count
  }

  private static func cancelOwnTask() { withUnsafeCurrentTask { $0?.cancel() } }

  @Test(
    "A fetch whose task is cancelled meanwhile ends within a thousand steps of SQLite's machine")
  func cancelled() async throws {
    let task = Task<Void, any Error> { [store] in
      let reader = try store.makeReader()
      let error = #expect(throws: GraphError.self) {
        try readOn(reader, cancelling: Self.cancelOwnTask)
      }
      let thrown = try #require(error)
      #expect(isCancelled(thrown))
      #expect("\(thrown)" == "could not fetch Item: its task was cancelled")
      // The moment continues, and a read that begins after the cancellation runs to its end.
      #expect(try readOn(reader, cancelling: {}) == Self.rows)
      #expect(try store.makeContext().count(Item.self) == Self.rows)
    }
    try await task.value
  }

  @Test("What a save reads is never cancelled, nor what no task reads") func saving() async throws {
    let task = Task<Void, any Error> { [store] in
      let reader = try store.makeReader()
      var terms = ReadTerms()
      terms.runsToEnd = true
      reader.setTerms(terms)
      #expect(try readOn(reader, cancelling: Self.cancelOwnTask) == Self.rows)
    }
    try await task.value
    let reader = try store.makeReader()
    #expect(try readOn(reader, cancelling: {}) == Self.rows)
  }

  @Test("A context tells its reader of its saves, also of what a conflict's policy reads")
  func savingContext() throws {
    let spy = SpyStore(store)
    let context = ObjectContext(store: spy)
    let item = try context.object(with: Ref<Item>(key: 1))
    #expect(spy.runsToEnd == false)
    item.count = 5
    try store.setCount(1, from: 1, to: 7)
    context.conflictPolicy = .resolve { conflict in
      #expect(spy.runsToEnd == true)
      return .mine
    }
    try context.save()
    #expect(spy.runsToEnd == false)
    #expect(try store.item(1)?.count == 5)
  }

  @Test("Cancelling background work ends what it reads") func background() async throws {
    // The background thread has no task of its own, so the read is cancelled by the progress.
    let isTyped = Flag()
    await #expect(throws: CancellationError.self) {
      try await store.background { [store] _, progress in
        let reader = try store.makeReader()
        var terms = ReadTerms()
        terms.work = progress
        reader.setTerms(terms)
        do {
          _ = try readOn(reader) { progress.cancel() }
        } catch {
          if isCancelled(error) { isTyped.raise() }
          throw error
        }
      }
    }
    #expect(isTyped.isRaised)
    let spy = SpyStore(store)
    let queue = BackgroundQueue()
    let isTold = try await queue.run(on: spy, progress: nil) { context, progress in
      let count = try context.count(Item.self)
      return count == Self.rows && spy.work === progress
    }
    #expect(isTold)
  }

  /// Reads again and again in a task, until the task is cancelled. Checks that a read which begins
  /// after the cancellation runs to its end. Returns whether the cancellation ended a read.
  private static func meets(_ read: @escaping @Sendable () throws -> Void) async -> Bool {
    let flag = Flag()
    let task = Task.detached {
      while !Task.isCancelled {
        flag.raise()
        do {
          try read()
        } catch {
          #expect(Task.isCancelled)
          guard case .cancelled? = (error as? GraphError)?.reason else {
            Issue.record(error)
            return false
          }
          #expect(throws: Never.self) { try read() }
          return true
        }
      }
      return false
    }
    while !flag.isRaised { await Task.yield() }
    task.cancel()
    return await task.value
  }

  @Test("Cancelled at any moment of a figure, a fetch, or a fetch in memory") func anyMoment()
    async throws
  {
    let memory = try MemoryStore([Item.self, Box.self])
    try memory.insert(1...2000)
    let reads: [@Sendable () throws -> Void] = [
      { [store] in
        let context = store.makeContext()
        _ = try context.count(Item.self, where: { $0.name.contains("no such name") })
      },
      { [store] in
        let context = store.makeContext()
        _ = try context.values(Item.self, where: { $0.name.contains("no such name") })
      },
      {
        let context = memory.makeContext()
        _ = try context.count(Item.self, where: { $0.name.contains("no such name") })
      },
    ]
    for read in reads {
      var tries = 0
      while await !Self.meets(read) {
        tries += 1
        // Nearly every try cancels in the middle of a read.
        guard tries < 1000 else { throw Unexpected("no read was ended") }
      }
    }
  }

  @Test("A limit is a number of steps, the same each time") func limit() async throws {
    store.close()
    func reads(_ limit: Int?, rows: Int = Self.rows) async throws -> Bool {
      let limited = try await SQLiteStore.open(
        at: folder.file(), [Item.self, Box.self], options: StoreOptions(readLimit: limit))
      defer { limited.close() }
      do {
        let found = try limited.makeContext().values(
          Item.self, where: { $0.name.contains("i") }, limit: rows)
        #expect(found.count == rows)
        return true
      } catch let error as GraphError {
        guard case .tooLong(steps: limit) = error.reason else { throw error }
        return false
      }
    }
    #expect(try await reads(nil))
    // Finds the number of steps that this read takes, by bisection.
    var (tooFew, enough) = (1000, 4_000_000)
    #expect(try await !reads(tooFew))
    #expect(try await reads(enough))
    while enough - tooFew > 1000 {
      let middle = (tooFew + enough) / 2
      if try await reads(middle) { enough = middle } else { tooFew = middle }
    }
    #expect((5 * Self.rows...40 * Self.rows).contains(enough))
    for _ in 0..<3 {
      #expect(try await reads(enough))
      #expect(try await !reads(tooFew))
    }
    // Half of the rows take half of the steps.
    #expect(try await reads(enough / 2 + 1000, rows: Self.rows / 2))
    #expect(try await !reads(enough / 2 - 2000, rows: Self.rows / 2))
  }

  @Test("Neither a save nor an object that is found by its id is limited") func unlimited()
    async throws
  {
    store.close()
    let limited = try await SQLiteStore.open(
      at: folder.file(), [Item.self, Box.self], options: StoreOptions(readLimit: 1))
    let context = limited.makeContext()
    for id in 1...1000 { _ = try context.object(with: Ref<Item>(key: Int64(id))) }
    try context.object(with: Ref<Item>(key: 1)).count = 5
    try context.save()
    #expect(throws: GraphError.self) { try context.values(Item.self) }
  }
}

/// A store that forwards all calls to its base store, and records the latest terms that a reader
/// was given.
private final class SpyStore: ForwardingStore {
  let base: any ObjectStore
  private let terms = Mutex<ReadTerms?>(nil)

  init(_ base: any ObjectStore) { self.base = base }

  var runsToEnd: Bool? { terms.withLock { $0?.runsToEnd } }
  var work: (any CancellableWork)? { terms.withLock { $0?.work } }

  func makeReader() throws -> any StoreReader { SpyReader(try base.makeReader(), self) }

  private final class SpyReader: ForwardingReader {
    let base: any StoreReader
    let store: SpyStore

    init(_ base: any StoreReader, _ store: SpyStore) { (self.base, self.store) = (base, store) }

    func setTerms(_ terms: ReadTerms) {
      store.terms.withLock { $0 = terms }
      base.setTerms(terms)
    }
  }
}
