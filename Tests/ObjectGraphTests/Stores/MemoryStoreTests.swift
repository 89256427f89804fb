import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A store in memory")
struct MemoryStoreTests {
  @Test("keeps the laws of stores", arguments: StoreLaw.all)
  func law(_ law: StoreLaw) throws { try law.check(MemoryStore(StoreLaw.entities)) }

  @Test("tells all mistakes of its schemas at once, and draws an id of its own")
  func creation() throws {
    let error = try #require(throws: GraphError.self) { _ = try MemoryStore([Group.self]) }
    guard case .schema(let mistakes) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(mistakes.count == 2)
    #expect(try MemoryStore([Badge.self]).id != MemoryStore([Badge.self]).id)
  }

  @Test("fails its next commit when a test says so, once, and writes nothing")
  func faults() throws {
    let store = try MemoryStore([Badge.self])
    let write = Write.insert(Ref(key: 1), Badge("a"), in: store.model)
    store.failNextCommit(with: GraphError("save", .full))
    #expect(throws: GraphError.self) { try store.commit([write], from: nil) }
    #expect(try store.makeReader().ids(Query(entity: 0)).isEmpty)
    try store.commit([write], from: nil)
    #expect(try store.makeReader().ids(Query(entity: 0)) == [1])
  }

  @Test("serves commits and readers of several threads")
  func threads() async throws {
    let store = try MemoryStore([Badge.self])
    let inbox = Inbox()
    store.subscribe(inbox)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for task in 0..<4 {
        tasks.addTask {
          for step in 0..<50 {
            let key = Int64(task * 50 + step + 1)
            try store.commit([.insert(Ref(key: key), Badge("\(key)"), in: store.model)], from: nil)
            let reader = try store.makeReader()
            let count = try reader.ids(Query(entity: 0)).count
            #expect(try reader.aggregate(.count, of: Query(entity: 0)) == .integer(Int64(count)))
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try store.makeReader().ids(Query(entity: 0)) == Array(1...200))
    #expect(inbox.take().touched[0]?.count == 200)
  }
}
