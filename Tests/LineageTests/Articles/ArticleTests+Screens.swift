import Foundation
import Lineage
import Testing

extension ArticleTests {
  @Test("What screens do: offers and the focus")
  func offers() throws {
    let (application, deck, editor) = (Application(), Controller(), Controller())
    try application.append(deck)
    try deck.append(editor)

    enum Command: Hashable { case save, cancel }

    editor.offer(Command.save, "save", key: "^S", when: { $0.context(ObjectContext.self) != nil }) {
      try $0.leave(.saveAll)
    }
    editor.offer(Command.cancel, "cancel", key: "escape") { try $0.leave(.discard) }
    let line = editor.offers.filter(\.isEnabled).map { "\($0.key ?? "") \($0.name)" }

    #expect(line == ["escape cancel"])
    let sheet = Controller()
    try editor.present(sheet)

    sheet.block(ActionHandler<Command>.self)
    sheet.offer(Command.cancel, "close", key: "escape") { $0.removeFromParent() }

    #expect(sheet.offers.map(\.name) == ["close"] && !sheet.send(Command.save).isHandled)
    sheet.offers.first?.send()
    #expect(editor.presented == nil)

    try application.makeFirst(editor)
    let focus = application.firstResponder

    #expect(focus === editor)
    editor.offers.last?.send()
    #expect(editor.nextResponder == nil && application.firstResponder === deck)
  }

  @Test("What screens do: tasks, and drawing at the end of turns")
  func work() async throws {
    let questions = (0..<250).map { "\($0)?" }
    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let (application, screen) = (Application(), Controller())
    try application.append(screen)
    var lines: [String] = []
    func draw(_ line: String) { lines.append(line) }

    let task = screen.task { screen, progress in
      let added = try await store.background(
        progress: { try? progress.report($0.completed, of: $0.total) }
      ) { context, progress in
        for (number, question) in questions.enumerated() {
          try context.insert(Card(question: question))
          try progress.report(number + 1, of: questions.count)
        }
        return questions.count
      }
      screen.debugName = "\(added) cards were added"
    }

    application.onTurn { _ in
      let progress = screen.context(WorkProgress.self)
      draw(progress.map { "\($0.completed) of \($0.total ?? 0)" } ?? "ready")
    }

    application.task { application in
      while !task.isFinished { await Task.yield() }
      application.terminate()
    }
    await application.run()
    #expect(screen.debugName == "250 cards were added" && lines.last == "ready")
    #expect(try store.makeContext().count(Card.self) == 250)
  }

  @Test("A program on standard input")
  func standardInput() async throws {
    let (url, pipe) = (url, Pipe())
    pipe.fileHandleForWriting.write(Data("1 + 1?\n2 + 2?\nquit\n".utf8))
    let input = pipe.fileHandleForReading
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }

    let application = Application()
    application.openStore(at: url, [Card.self, Deck.self])

    for await line in application.lines(of: input) {  // .lines() reads standard input
      guard line != "quit" else { break }
      let context = try await application.context(whenReady: ObjectContext.self)
      try context.edit { _ = try $0.insert(Card(question: line)) }
      show("\(try context.count(Card.self)) cards")
    }

    #expect(lines == ["1 cards", "2 cards"])

    await application.settle()
    try await application.settle(within: .seconds(10))  // throws what is still under way
  }

  @Test("A program with a loop of its own")
  func ownLoop() throws {
    let (application, wakeups) = (Application(), DispatchSemaphore(value: 0))
    var frames: [String] = []
    func draw(_ application: Application) {
      frames.append("\(application.resolve(ObjectContext.self).value != nil)")
      if application.context(ObjectContext.self) != nil { application.terminate() }
    }
    application.openStore(at: url, [Card.self, Deck.self])

    application.mailbox.onArrival { wakeups.signal() }  // for GTK: g_main_context_wakeup(nil)

    draw(application)
    while application.phase != .terminated {
      wakeups.wait()  // and for keys, timers and whatever else there is
      application.drain()
      draw(application)
    }

    #expect(frames.last == "true")
  }
}
