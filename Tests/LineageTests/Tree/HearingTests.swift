import Lineage
import LineageTestSupport
import Testing

/// Tests that a context receives news from its store as long as a responder of a tree provides the
/// context.
@Suite("Hearing what others save", .hangGuard)
@MainActor
struct HearingTests {
  private enum Catalogue: ContextKey { typealias Value = ObjectContext }

  private let application = Application()
  private let store: MemoryStore
  private let context: ObjectContext

  init() throws {
    store = try MemoryStore([Note.self, Topic.self])
    context = store.makeContext()
    application.provide(context)
  }

  /// Expects that insertions and changes by another context arrive in a list of ``context`` when
  /// the application drains its mailbox.
  private func expectHearing() throws {
    let list = try LiveList(FetchRequest<Note>(where: { $0.text == "new" }), in: context)
    let other = store.makeContext()
    let note = try other.insert(Note("new"))
    try other.save()
    application.drain()
    #expect(list.count == 1)
    note.text = "newer"
    try other.save()
    application.drain()
    #expect(list.count == 0)
  }

  @Test("The application hears after a controller left that had the same context")
  func sameContext() throws {
    let controller = Controller()
    try application.append(controller)
    controller.provide(context)
    application.drain()
    controller.removeFromParent()
    try expectHearing()
  }

  @Test("It hears after it withdrew the context under a second key")
  func secondKey() throws {
    application.provide(context, for: Catalogue.self)
    application.drain()
    try application.withdraw(Catalogue.self)
    try expectHearing()
  }

  @Test("It hears after a controller left that was given a child")
  func child() throws {
    let controller = Controller()
    try application.append(controller)
    controller.provide(context.makeChild())
    application.drain()
    controller.removeFromParent()
    try expectHearing()
  }

  @Test("An observer that commits whenever a commit is taken in does not keep drain()")
  func echo() throws {
    let list = try LiveList(FetchRequest<Note>(), in: context)
    let other = store.makeContext()
    let token = list.observe { _, _ in
      #expect(throws: Never.self) {
        try other.insert(Note("echo"))
        try other.save()
      }
    }
    try other.insert(Note("first"))
    try other.save()
    application.drain()
    let count = list.count
    #expect(count == 1 && application.mailbox.count == 1)
    application.drain()
    #expect(list.count == count + 1 && application.mailbox.count == 1)
    token.cancel()
  }

  @Test("It hears after another tree with the same context ended")
  func secondTree() throws {
    do {
      let second = Application()
      second.provide(context)
    }
    application.drain()
    try expectHearing()
  }
}
