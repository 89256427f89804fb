import ObjectGraph
import TestSupport
import Testing

@Suite("Loops over a live list's updates") @MainActor
struct ListUpdatesTests {
  @Test("get changes that lead to the rows that the list has then")
  func loop() async throws {
    let context = try MemoryStore([Note.self, Topic.self]).makeContext()
    let list = try LiveList<Note>(FetchRequest(sort: { $0.text }), in: context)
    var rows: [[String]] = [[]]
    var received = 0
    let loop = Task { @MainActor in
      for await changes in list.updates {
        changes.apply(to: &rows) { list[$0].text }
        received += 1
        #expect(rows == [list.map(\.text)])
      }
    }
    // The loop begins when its task does; what came before is not told.
    for _ in 0..<20 { await Task.yield() }
    for text in ["c", "a", "b"] { try context.insert(Note(text)) }
    try await until { received == 1 }
    list[0].text = "z"
    try await until { received == 2 }
    #expect(rows == [["b", "c", "z"]])
    loop.cancel()
    await loop.value
    context.discard()
  }

  @Test("do not keep the list, whose end is theirs")
  func loopEnds() async throws {
    let context = try MemoryStore([Note.self, Topic.self]).makeContext()
    var list: LiveList<Note>? = try LiveList(FetchRequest(), in: context)
    let updates = try #require(list).updates
    var hasEnded = false
    let loop = Task { @MainActor in
      for await _ in updates {}
      hasEnded = true
    }
    for _ in 0..<20 { await Task.yield() }
    list = nil
    #expect(list == nil)
    try await until { hasEnded }
    await loop.value
  }
}
