import Lineage
import LineageTestSupport
import Testing

@Suite("A responder's task with a progress")
struct WorkingTests {
  @Test("The progress is a context while the task runs, and many reports have one turn")
  func progress() async throws {
    let application = Application()
    let (screen, bar) = (Controller(), ViewResponder())
    try screen.setRootView(bar)
    try application.append(screen)
    var frames: [Int?] = []
    application.onTurn { _ in frames.append(bar.context(WorkProgress.self)?.completed) }
    let task = screen.task { screen, _ in
      while screen.children.isEmpty { await Task.yield() }
    }
    application.drain()
    let progress = try #require(bar.context(WorkProgress.self))
    for round in 1...2 {
      for number in 1...100 { try progress.report(round * number, of: 200) }
      // The task's own letters come besides.
      let frame = frames.count
      while frames.last != .some(round * 100) { application.drain() }
      #expect(frames.count == frame + 1)
    }
    try screen.append(Controller())
    while !task.isFinished {
      application.drain()
      await Task.yield()
    }
    #expect(bar.context(WorkProgress.self) == nil && frames.last == .some(nil))
  }

  @Test("A cancelled task cancels its progress, which ends background work")
  func cancelling() async throws {
    let application = Application()
    application.provide(try MemoryStore(Library.entities).makeContext())
    let screen = Controller()
    try application.append(screen)
    let store = try MemoryStore(Library.entities)
    let task = screen.task { screen, progress in
      progress.cancel()
      let count = try await store.background { context, _ in
        try progress.check()
        return try context.count(Card.self)
      }
      Issue.record("the work has ended with \(count)")
    }
    application.onFailure { _, failure in
      #expect(failure.error is CancellationError)
      return .handled
    }
    while !task.isFinished {
      application.drain()
      await Task.yield()
    }
    let other = screen.task { _, progress in
      while !progress.isCancelled { await Task.yield() }
    }
    application.drain()
    screen.removeFromParent()
    while !other.isFinished {
      application.drain()
      await Task.yield()
    }
  }
}
