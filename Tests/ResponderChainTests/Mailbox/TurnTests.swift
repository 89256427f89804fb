import LineageTestSupport
import ResponderChain
import Testing

@Suite("The turns of an application", .hangGuard)
struct TurnTests {
  final class Painter: Application {
    var frames = 0
    var letters = 0
  }

  private func application() -> Painter {
    let application = Painter()
    application.onTurn { $0.frames += 1 }
    return application
  }

  private func post(_ application: Painter, _ count: Int = 1) {
    for _ in 0..<count { application.mailbox.post { ($0 as? Painter)?.letters += 1 } }
  }

  @Test("Each drain that applied letters has one turn, and others have none")
  func draining() {
    let application = application()
    application.drain()
    #expect(application.frames == 0)
    post(application, 100)
    application.drain()
    application.drain()
    #expect(application.frames == 1 && application.letters == 100)
  }

  @Test("A turn inside a turn, and what the closure does, belong to the next turn")
  func nesting() {
    let application = application()
    application.mailbox.post { application in
      application.mailbox.post { ($0 as? Painter)?.letters += 1 }
      application.drain()
    }
    application.drain()
    #expect(application.frames == 1 && application.letters == 1)
    application.onTurn {
      $0.frames += 1
      $0.drain()
    }
    application.mailbox.post { _ in }
    // The closure's own drain applies this letter.
    application.onTurn { painter in
      painter.frames += 1
      if painter.frames == 2 { painter.mailbox.post { ($0 as? Painter)?.letters += 1 } }
      painter.drain()
    }
    application.drain()
    #expect(application.frames == 2 && application.letters == 2)
    application.drain()
    #expect(application.frames == 3, "what the closure has applied is told now")
    application.drain()
    #expect(application.frames == 3)
  }

  @Test("The main loop has a turn for each batch of letters")
  func running() async {
    let application = application()
    var frames: [Int] = []
    application.onTurn { painter in
      painter.frames += 1
      frames.append(painter.letters)
      if painter.frames == 3 { painter.terminate() }
      painter.mailbox.post { ($0 as? Painter)?.letters += 1 }
    }
    post(application, 2)
    await application.run()
    #expect(frames == [2, 3, 4])
  }

  @Test("The main loop tells what the closure itself has applied, also if no letter follows")
  func runningOn() async {
    let application = application()
    application.onTurn { painter in
      painter.frames += 1
      if painter.frames == 2 { return painter.terminate() }
      painter.mailbox.post { ($0 as? Painter)?.letters += 1 }
      painter.drain()
    }
    post(application)
    await application.run()
    #expect(application.frames >= 2 && application.letters == 2)
  }

  @Test("A task that waits for a context has turns, too")
  func waiting() async throws {
    let application = application()
    let delivery = application.expect(Notebook.self)
    application.mailbox.post { application in
      application.mailbox.post { _ in _ = delivery.deliver(Notebook("notes")) }
    }
    _ = try await application.context(whenReady: Notebook.self)
    // The delivery is a letter, too.
    #expect(application.frames == 3)
    var updates = application.updates(of: Notebook.self).makeAsyncIterator()
    _ = await updates.next()
    let frames = application.frames
    application.mailbox.post { $0.block(Notebook.self) }
    _ = await updates.next()
    #expect(application.frames == frames + 1)
  }

  @Test("A branch that drops its child in a turn without letters has it drawn")
  func drifting() throws {
    let application = application()
    application.provide(Notebook("notes"))
    let screen = Controller()
    try application.append(screen)
    screen.branch(Notebook.self)
    let child = try screen.require(Notebook.self)
    child.hasUnsavedChanges = true
    application.provide(Notebook("notes"))
    application.drain()
    let frames = application.frames
    child.hasUnsavedChanges = false
    application.drain()
    #expect(application.frames == frames + 1)
    application.drain()
    #expect(application.frames == frames + 1)
  }
}
