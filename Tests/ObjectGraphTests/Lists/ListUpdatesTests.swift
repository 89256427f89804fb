import LineageTestSupport
import ObjectGraph
import Synchronization
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
    // The loop begins when its task runs. It does not get earlier changes.
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

  @Test("take in what others have committed while they wait, without a merge", .hangGuard)
  func arrivals() async throws {
    let store = try MemoryStore([Note.self, Topic.self])
    let context = store.makeContext()
    let list = try LiveList<Note>(FetchRequest(sort: { $0.weight }), in: context.makeChild())
    var received: [Int] = []
    let loop = Task { @MainActor in
      for await changes in list.updates {
        received.append(changes.insertions.count)
        if list.count >= 1001 { break }
      }
    }
    let other = store.makeContext()
    // The first commit is made before the loop waits, and the second while it waits.
    try other.insert(Note("first", weight: -1))
    try other.save()
    for _ in 0..<20 { await Task.yield() }
    for number in 0..<1000 { try other.insert(Note("", weight: number)) }
    try other.save()
    await loop.value
    #expect(list.count == 1001 && received.reduce(0, +) == 1001)
  }

  @Test("end amid a merge, and nothing is kept", arguments: [199, 201, 450])
  func endsAmidMerge(count: Int) async throws {
    weak var formerStore: MemoryStore?
    weak var formerList: LiveList<Note>?
    func run() async throws {
      let store = try MemoryStore([Note.self, Topic.self])
      let list = try LiveList<Note>(FetchRequest(sort: { $0.weight }), in: store.makeContext())
      (formerStore, formerList) = (store, list)
      let other = store.makeContext()
      for number in 0..<count { try other.insert(Note("", weight: number)) }
      try other.save()
      for await _ in list.updates { break }
      #expect(list.context.hasNews == (count > 200))
    }
    try await run()
    #expect(formerList == nil && formerStore == nil)
  }

  @Test("go on after a commit that could not be read, and report it", .hangGuard)
  func failures() async throws {
    let store = CountingStore(try MemoryStore([Note.self, Topic.self]))
    let context = store.makeContext()
    let list = try LiveList<Note>(FetchRequest(sort: { $0.weight }), in: context)
    let faults = Mutex(0)
    context.onError = { _ in
      // Reads succeed again after the first fault.
      faults.withLock { $0 += 1 }
      store.fail(with: nil)
    }
    // A merge reads the row of this object again, because the object is alive.
    let note = try context.insert(Note("old"))
    try context.save()
    let loop = Task { @MainActor in
      for await _ in list.updates where note.text == "new" { return }
    }
    for _ in 0..<20 { await Task.yield() }
    let other = store.makeContext()
    try #require(try other.fetch(Note.self).first).text = "new"
    try other.save()
    store.fail(with: GraphError("read", .inputOutput("no disk")))
    await loop.value
    #expect(faults.withLock { $0 } >= 1 && note.text == "new")
  }
}
