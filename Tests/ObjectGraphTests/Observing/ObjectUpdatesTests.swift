import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Loops over the values of an object, and over live values") struct ObjectUpdatesTests {
  @Test("Begin with the present value, go on through a deletion, and end with the task")
  @MainActor func onMainActor() async throws {
    let context = try MemoryStore(Library.entities).makeContext()
    context.recordsUndo = true
    let card = try context.insert(Card("a"))
    var heard: [String] = []
    let loop = Task { @MainActor in
      for await value in card.updates { heard.append(value?.question ?? "deleted") }
    }
    try await until { heard == ["a"] }
    card.question = "b"
    card.question = "c"
    try await until { heard == ["a", "c"] }
    try context.delete(card)
    try await until { heard == ["a", "c", "deleted"] }
    context.undo()
    try await until { heard == ["a", "c", "deleted", "c"] }
    context.group { (card.question, card.question) = ("d", "c") }
    for _ in 0..<20 { await Task.yield() }
    #expect(heard.count == 4)
    loop.cancel()
    await loop.value
  }

  @Test("End when the context ends, and take in what others have committed", .hangGuard)
  @MainActor func ending() async throws {
    let store = try MemoryStore(Library.entities)
    var context: ObjectContext? = store.makeContext()
    let card = try #require(try context?.insert(Card("a")))
    try context?.save()
    var heard: [String] = []
    let loop = Task { @MainActor in
      for await value in card.updates { heard.append(value?.question ?? "deleted") }
      heard.append("end")
    }
    try await until { heard == ["a"] }
    let other = store.makeContext()
    try other.object(with: card.id).question = "b"
    try other.save()
    try await until { heard == ["a", "b"] }
    context = nil
    #expect(context == nil)
    try await until { heard.last == "end" }
    await loop.value
  }

  private actor Desk {
    let context: ObjectContext
    private(set) var heard: [Int] = []

    init() throws { context = try MemoryStore(Library.entities).makeContext() }

    func work() async throws {
      let card = try context.insert(Card("a"))
      let due = try LiveValue(in: context) { try $0.count(Card.self, where: { $0.isHard }) }
      var values = card.updates.makeAsyncIterator()
      var counts = due.updates.makeAsyncIterator()
      for number in 1...3 {
        card.rightCount = number
        heard.append(await values.next()??.rightCount ?? -1)
      }
      heard.append(await counts.next() ?? -1)
      card.isHard = true
      heard.append(await counts.next() ?? -1)
      context.discard()
    }
  }

  @Test("Work inside an actor", .hangGuard)
  func inActor() async throws {
    let desk = try Desk()
    try await desk.work()
    #expect(await desk.heard == [1, 2, 3, 0, 1])
  }

  @Test("End when the live value is released", .hangGuard)
  @MainActor func liveValueEnds() async throws {
    let context = try MemoryStore(Library.entities).makeContext()
    var live: LiveValue<Int>? = try LiveValue(in: context) { try $0.count(Card.self) }
    let updates = try #require(live).updates
    var heard: [Int] = []
    let loop = Task { @MainActor in
      for await count in updates { heard.append(count) }
      heard.append(-1)
    }
    try await until { heard == [0] }
    try context.insert(Card("a"))
    try await until { heard == [0, 1] }
    live = nil
    #expect(live == nil)
    try await until { heard == [0, 1, -1] }
    await loop.value
    context.discard()
  }
}
