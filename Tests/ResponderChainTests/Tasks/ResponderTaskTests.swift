import LineageTestSupport
import ResponderChain
import Synchronization
import Testing

/// A door at which tasks wait until it is opened.
private final class Door: Sendable {
  private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>(
    (false, []))

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      return state.waiting
    }
    waiting.forEach { $0.resume() }
  }

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// An isolation of its own, which owns a tree.
private actor Session {
  private var answers: [Int] = []

  func work() async -> [Int] {
    let application = Application()
    let screen = Controller()
    try? application.append(screen)
    screen.task { [self] screen in
      answers.append(1)
      answers.append(await Task.detached { 2 }.value)
      screen.application?.terminate()
    }
    answers.append(0)
    await application.run()
    return answers
  }
}

@Suite("Tasks of responders", .hangGuard)
struct ResponderTaskTests {
  private struct Refused: Error {}

  private func tree() throws -> (Application, Controller) {
    let (application, screen) = (Application(), Controller())
    try application.append(screen)
    return (application, screen)
  }

  /// Drains until a task has ended.
  private func finish(_ task: ResponderTask, _ application: Application) async {
    while !task.isFinished {
      application.drain()
      await Task.yield()
    }
  }

  @Test("A body begins in the next turn, and runs only in turns")
  func turns() async throws {
    let (application, screen) = try tree()
    let door = Door()
    var log: [String] = []
    let task = screen.task { screen in
      log.append("begins")
      await door.pass()
      log.append("goes on")
      screen.provide(Notebook("notes"))
    }
    let other = screen.task { _ in log.append("other") }
    log.append("asked")
    #expect(application.mailbox.count == 2)
    application.drain()
    #expect(log == ["asked", "begins", "other"] && other.isFinished && !task.isFinished)
    door.open()
    // The task cannot go on, however long it takes, before somebody applies its letter.
    for _ in 0..<100 { await Task.yield() }
    #expect(log.count == 3 && screen.context(Notebook.self) == nil)
    await finish(task, application)
    #expect(log.last == "goes on" && screen.context(Notebook.self) != nil)
    #expect(!task.isCancelled)
  }

  @Test("A round that ends without the responder in its tree cancels; a move does not")
  func leaving() async throws {
    let (application, screen) = try tree()
    let (view, other) = (Controller(), Controller())
    try screen.append(view)
    try application.append(other)
    let door = Door()
    let task = view.task { _ in
      await door.pass()
      try Task.checkCancellation()
    }
    application.drain()
    try view.move(to: other)
    application.batch {
      other.removeFromParent()
      try? application.append(other)
    }
    #expect(!task.isCancelled)
    other.removeFromParent()
    #expect(task.isCancelled && !task.isFinished)
    door.open()
    await finish(task, application)
  }

  @Test("A responder that ends before the body begins is not retained, and the body never runs")
  func ending() async throws {
    let application = Application()
    weak var gone: Controller?
    var task: ResponderTask?
    do {
      let screen = Controller()
      gone = screen
      try application.append(screen)
      task = screen.task { _ in Issue.record("the body has begun") }
      screen.removeFromParent()
    }
    #expect(gone == nil && task?.isCancelled == true)
    application.drain()
    #expect(task?.isFinished == true)
    let detached = Controller().task { _ in Issue.record("the body has begun") }
    #expect(detached.isCancelled && detached.isFinished)
    let cancelled = application.task { _ in Issue.record("the body has begun") }
    cancelled.cancel()
    application.drain()
    #expect(cancelled.isFinished)
  }

  @Test("An error goes up the tree; the end of a cancelled task does not")
  func failing() async throws {
    let (application, screen) = try tree()
    var failures: [String] = []
    application.onFailure { _, failure in
      failures.append("\(type(of: failure.error)) at \(failure.origin is Controller)")
      return .handled
    }
    screen.task { _ in throw Refused() }
    screen.task { _ in throw CancellationError() }
    application.drain()
    #expect(failures == ["Refused at true", "CancellationError at true"])
    let cancelled = screen.task { _ in
      while !Task.isCancelled { await Task.yield() }
      throw CancellationError()
    }
    let broken = screen.task { _ in
      while !Task.isCancelled { await Task.yield() }
      throw Refused()
    }
    application.drain()
    cancelled.cancel()
    broken.cancel()
    await finish(cancelled, application)
    await finish(broken, application)
    #expect(failures.count == 3 && failures.last == "Refused at true")
  }

  @Test("A terminated application cancels its tasks, and its main loop returns after them")
  func terminating() async throws {
    let (application, screen) = try tree()
    var isOver = false
    screen.task { screen in
      screen.task { _ in
        await Task.yield()
        screen.application?.terminate()
      }
      while !Task.isCancelled { await Task.yield() }
      for _ in 0..<10 { await Task.yield() }
      isOver = true
    }
    await application.run()
    #expect(isOver)
  }

  @Test("After the application has terminated, no task begins; its tasks end before it is told")
  func afterTheEnd() async throws {
    final class Ending: Application {
      var log: [Bool] = []
      var running: ResponderTask?
      override func willTerminate() {
        log.append(running?.isCancelled == true)
        log.append(task { _ in Issue.record("the body has begun") }.isCancelled)
      }
    }
    let application = Ending()
    application.running = application.task { _ in
      while !Task.isCancelled { await Task.yield() }
    }
    application.drain()
    application.terminate()
    #expect(application.log == [true, true])
    #expect(application.task { _ in }.isFinished)
    await application.run()
    #expect(application.running?.isFinished == true)
  }

  @Test("A body that drains in a loop ends it, although other tasks have jobs")
  func draining() async throws {
    let (application, screen) = try tree()
    var isOver = false
    let other = screen.task { _ in
      while !isOver { await Task.yield() }
    }
    let task = screen.task { _ in
      while application.drain() > 0 {}
      await Task.yield()
      while application.drain() > 0 {}
      isOver = true
    }
    await finish(task, application)
    await finish(other, application)
  }

  @Test("Child tasks, groups and other functions of a body are on the isolation of the tree")
  func children() async throws {
    let (application, screen) = try tree()
    var (log, isInTurn): ([Int], Bool) = ([], false)
    let task = screen.task { _ in
      await withTaskGroup(of: Int.self) { group in
        #expect(isInTurn)
        for number in 0..<3 { group.addTask { number } }
        for await number in group {
          #expect(isInTurn)
          log.append(number)
        }
      }
      await withTaskCancellationHandler {
        #expect(isInTurn)
        await Task.detached {}.value
        #expect(isInTurn)
      } onCancel: {
      }
    }
    while !task.isFinished {
      isInTurn = true
      application.drain()
      isInTurn = false
      await Task.yield()
    }
    #expect(log.sorted() == [0, 1, 2])
  }

  @Test("A body may wait for a context of its tree, and apply letters itself")
  func waiting() async throws {
    let (application, screen) = try tree()
    let delivery = application.expect(Notebook.self)
    var log: [String] = []
    let waiter = screen.task { screen in
      let notes = try await screen.context(whenReady: Notebook.self)
      log.append(notes.name)
    }
    let giver = screen.task { screen in
      await Task.yield()
      delivery.deliver(Notebook("notes"))
      // The other task's job has to wait for the end of this one.
      screen.application?.drain()
      log.append("drained")
      await Task.yield()
    }
    await finish(giver, application)
    await finish(waiter, application)
    #expect(log.sorted() == ["drained", "notes"])
  }

  @Test("Many tasks that wait for other isolations never run at the same time")
  func many() async throws {
    let (application, screen) = try tree()
    var (running, sum) = (0, 0)
    let tasks = (0..<200).map { number in
      screen.task { _ in
        for round in 0..<10 {
          running += 1
          #expect(running == 1)
          running -= 1
          sum += await Task.detached { number + round }.value
          await withTaskGroup(of: Int.self) { group in
            for _ in 0..<3 { group.addTask { number } }
            for await value in group { sum += value }
          }
        }
      }
    }
    application.task { application in
      while !tasks.allSatisfy({ $0.isFinished }) { await Task.yield() }
      application.terminate()
    }
    await application.run()
    #expect(sum == 10 * 199 * 100 + 200 * 45 + 30 * 199 * 100)
  }

  @Test("The tree may be in an actor")
  func actors() async { #expect(await Session().work() == [0, 1, 2]) }

  @Test("The tree may be on the main actor") @MainActor
  func mainActor() async throws {
    let (application, screen) = try tree()
    var log: [Int] = []
    screen.task { screen in
      MainActor.assertIsolated()
      log.append(1)
      log.append(await Task.detached { 2 }.value)
      screen.application?.terminate()
    }
    log.append(0)
    await application.run()
    #expect(log == [0, 1, 2])
  }
}
