import Lineage
import LineageTestSupport
import Testing

@Suite("Lists in trees", .hangGuard)
@MainActor
struct ListsInTreesTests {
  private let store: MemoryStore
  private let application = Application()
  private let context: ObjectContext

  init() throws {
    store = try MemoryStore([Note.self, Topic.self])
    context = store.makeContext()
    application.provide(context)
  }

  @Test("Sections are right though their names come in a later slice than their rows")
  func slices() throws {
    let other = store.makeContext()
    let topics = try (0..<3).map { try other.insert(Topic("t\($0)")) }
    for number in 0..<1_200 {
      try other.insert(Note("n\(number)", weight: number, topic: topics[number % 3].id))
    }
    try other.save()
    application.drain()
    let list = try LiveList(
      FetchRequest<Note>(sort: { $0.weight }), in: context, sections: { $0.topic.name })
    let mirror = ListMirror(list)
    for (number, note) in try other.fetch(Note.self).enumerated() where number % 2 == 0 {
      note.weight = -note.weight
    }
    topics[0].name = "z"
    try other.save()
    // The first slice has 500 notes. The row of the topic comes in the last slice.
    application.drain()
    #expect(list.sections.map(\.name) == ["t1", "t2", "z"])
    #expect(try mirror.complaint() == nil)
  }

  @Test("A list's observer may attach controllers with branches, and make lists of these")
  func branching() throws {
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    var made: [ListMirror<Note>] = []
    let token = list.observe { [application] _, _ in
      do {
        let controller = Controller()
        controller.branch(ObjectContext.self)
        try application.append(controller)
        let context = try controller.require(ObjectContext.self)
        made.append(
          ListMirror(try LiveList(FetchRequest<Note>(sort: { $0.text }, limit: 4), in: context)))
        guard made.count < 5 else { return }
        try context.insert(Note("made \(made.count)"))
        try context.save()
      } catch {
        Issue.record("\(error)")
      }
    }
    try context.insert(Note("x"))
    for mirror in made { #expect(try mirror.complaint() == nil) }
    #expect(made.count >= 5)
    token.cancel()
    context.discard()
  }

  @Test("A loop over a list's updates hears of background work where nobody runs the application")
  func loops() async throws {
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    let loop = Task { @MainActor in
      for await _ in list.updates where list.count == 500 { return }
    }
    for _ in 0..<20 { await Task.yield() }
    try await store.background { context, _ in
      for number in 0..<500 { _ = try context.insert(Note("\(number)")) }
    }
    await loop.value
    #expect(list.count == 500)
    application.drain()
    #expect(list.count == 500)
  }
}
