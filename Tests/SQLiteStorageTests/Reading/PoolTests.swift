import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Eight connections for any number of readers") struct PoolTests {
  private let folder: Drawer
  private let store: SQLiteStore

  init() async throws {
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), [Item.self, Box.self])
    try store.insert(1...1)
  }

  /// The expected state of a reader.
  private struct Expected {
    /// The number of rows in the reader's moment; nil if the reader has no moment.
    var rows: Int?
    var lastRead = 0
    var isHeld = false
    var cursor: (any RowCursor)?

    var isIdle: Bool { rows != nil && !isHeld && cursor == nil }
  }

  @Test("A ninth reader takes the connection idle longest; a kept moment stays", arguments: 0..<12)
  func lending(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let readers = try (0..<14).map { _ in try store.makeReader() }
    var expected = readers.map { _ in Expected() }
    var rows = 1
    for step in 1...300 {
      let place = random.below(readers.count)
      let reader = readers[place]
      func begin() {
        expected[place].lastRead = step
        guard expected[place].rows == nil else { return }
        if expected.count(where: { $0.rows != nil }) >= 8 {
          let idle = expected.indices.filter { expected[$0].isIdle }
          if let victim = idle.min(by: { expected[$0].lastRead < expected[$1].lastRead }) {
            expected[victim].rows = nil
          }
        }
        expected[place].rows = rows
      }
      switch random.below(12) {
      case 0:
        rows += 1
        try store.insert(rows...rows)
      case 1:
        guard expected[place].cursor == nil else { continue }
        reader.end()
        expected[place].rows = nil
      case 2:
        expected[place].isHeld.toggle()
        var terms = ReadTerms()
        terms.keepsMoment = expected[place].isHeld
        reader.setTerms(terms)
      case 3 where expected[place].cursor == nil:
        begin()
        let cursor = try reader.cursor(Query(entity: 0))
        #expect(try cursor.next() == 1)
        expected[place].cursor = cursor
      case 3, 4:
        guard let cursor = expected[place].cursor else { continue }
        cursor.close()
        expected[place].cursor = nil
        expected[place].lastRead = step
      case 5:
        begin()
        _ = try reader.value(Ref<Item>(key: 1), in: store.model)
      default:
        begin()
        let count = try reader.aggregate(.count, of: Query(entity: 0))
        #expect(
          count == .integer(Int64(expected[place].rows ?? -1)), "seed \(seed), step \(step)")
      }
      let used = expected.count(where: { $0.rows != nil })
      #expect(store.readConnections >= used && store.readConnections <= max(8, used))
    }
    for reader in expected { reader.cursor?.close() }
  }

  @Test("Contexts that are idle begin a new moment; one inside read keeps its own") func contexts()
    throws
  {
    let reading = store.makeContext()
    let idle = store.makeContext()
    #expect(try idle.count(Item.self) == 1)
    try reading.read {
      #expect(try reading.count(Item.self) == 1)
      try store.insert(2...2)
      let others = (0..<20).map { _ in store.makeContext() }
      for other in others { #expect(try other.count(Item.self) == 2) }
      #expect(store.readConnections == 8)
      #expect(try reading.count(Item.self) == 1)
    }
    #expect(try idle.count(Item.self) == 2)
    #expect(try reading.count(Item.self) == 2)
  }

  @Test("A moment inside read outlasts a log that grows") func heldWhileLogGrows() async throws {
    let folder = try Drawer()
    let store = try await SQLiteStore.opening(
      at: folder.file(), [Item.self, Box.self], limits: FileLimits(logPages: 50)
    ).opened(at: folder.file())
    try store.insert(1...10)
    let context = store.makeContext()
    try context.read {
      #expect(try context.count(Item.self) == 10)
      for round in 1..<20 { try store.insert((round * 1000)...(round * 1000 + 999)) }
      #expect(try context.count(Item.self) == 10)
    }
    #expect(try context.count(Item.self) == 10 + 19 * 1000)
  }

  @Test("Many threads that take each other's connections: each sees whole saves, in order")
  func threads() async throws {
    let store = store
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          var last = 0
          do {
            let contexts = (0..<4).map { _ in store.makeContext() }
            for round in 0..<60 {
              let context = contexts[round % 4]
              try context.merge()
              try context.read {
                let count = try context.count(Item.self)
                #expect(count >= last && count % 10 == 1)
                #expect(try context.values(Item.self).count == count)
                last = count
              }
              _ = try context.count(Item.self)
            }
          } catch {
            Issue.record(error)
          }
        }
      }
      group.addTask {
        for round in 1...40 {
          do { try store.insert((round * 10)...(round * 10 + 9)) } catch { Issue.record(error) }
        }
      }
    }
    #expect(store.readConnections <= 8)
  }

  @Test("20,000 idle sessions under a limit of 256 descriptors", .hangGuard) func sessions() throws
  {
    let said = try OtherProcess.probe("sessions", folder.file().path + "2", "20000").end()
    #expect(
      said == """
        20000 sessions saw 20000, few descriptors
        20000 sessions saw 40000, few descriptors
        8 connections

        """)
  }
}
