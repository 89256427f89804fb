import LineageTestSupport
import ResponderChain
import Testing

@Suite("A tree that settles", .hangGuard)
struct SettleTests {
  private struct Refused: Error {}
  private final class Recorder: Application { var log: [String] = [] }

  @Test("Letters, loads and tasks are over, also those that others have begun")
  func everything() async throws {
    let application = Recorder()
    let screen = Controller()
    try application.append(screen)
    await application.settle()
    application.load(Notebook.self) {
      await Task.yield()
      return Notebook("notes")
    }
    screen.onChange(of: Notebook.self) { screen, notes in
      guard notes.value != nil else { return }
      (screen.application as? Recorder)?.log.append("notes")
      screen.task { screen in
        await Task.detached {}.value
        (screen.application as? Recorder)?.log.append("task")
        screen.load(Journal.self) { throw Refused() }
      }
    }
    application.mailbox.post { application in
      application.mailbox.post { ($0 as? Recorder)?.log.append("letter") }
    }
    await application.settle()
    #expect(application.log.sorted() == ["letter", "notes", "task"])
    guard case .failed = screen.resolve(Journal.self) else {
      Issue.record("the load has not ended")
      return
    }
    #expect(application.mailbox.count == 0)
  }

  @Test("What is expected is not awaited; what is still under way after a time is thrown")
  func unsettled() async throws {
    let application = Application()
    let screen = Controller()
    screen.debugName = "screen"
    try application.append(screen)
    let delivery = application.expect(Notebook.self)
    await application.settle()
    let task = screen.task { _ in
      while !Task.isCancelled { await Task.yield() }
    }
    screen.load(Journal.self) {
      try await Task.sleep(for: .seconds(1_000))
      return Journal()
    }
    let error = await #expect(throws: UnsettledError.self) {
      try await application.settle(within: .zero)
    }
    #expect(error?.work.filter { !$0.contains("letter") }.count == 2)
    #expect(error?.description.contains("the load of Journal at") == true)
    #expect(error?.description.contains("a task of") == true)
    task.cancel()
    screen.block(Journal.self)
    try await application.settle(within: .seconds(1_000))
    #expect(task.isFinished)
    withExtendedLifetime(delivery) {}
  }

  @Test("A load that another task withdraws is not awaited any more") @MainActor
  func withdrawn() async throws {
    let application = Application()
    application.load(Journal.self) {
      try await Task.sleep(for: .seconds(1_000))
      return Journal()
    }
    let settling = Task { await application.settle() }
    for _ in 0..<100 { await Task.yield() }
    try application.withdraw(Journal.self)
    await settling.value
    #expect(application.context(Journal.self) == nil)
  }

  @Test("A load that leaves the tree is not awaited any more") @MainActor
  func removed() async throws {
    let (application, screen) = (Application(), Controller())
    try application.append(screen)
    screen.load(Journal.self) {
      try await Task.sleep(for: .seconds(1_000))
      return Journal()
    }
    let settling = Task { await application.settle() }
    for _ in 0..<100 { await Task.yield() }
    screen.removeFromParent()
    await settling.value
    #expect(application.children.isEmpty)
  }

  private final class Journal: Context, Sendable {}
}
