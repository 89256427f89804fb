import Foundation
import Lineage
import LineageJournalStore
import LineageTestSupport
import Synchronization
import Testing

private typealias LibraryCard = LineageTestSupport.Card

@Suite("The opening of a store made of a journal", .hangGuard)
@MainActor
struct JournalOpeningTests {
  /// Creates a journal with a number of commits. Each read of a piece waits for the time of
  /// `pause`.
  private nonisolated func journal(commits: Int, pause: Duration) async throws -> Journal {
    let journal = Journal(pause: pause)
    let context = try await JournalStore.open(journal, Library.entities).makeContext()
    for number in 0..<commits {
      try context.insert(LibraryCard("c\(number)", rightCount: number))
      try context.save()
    }
    return journal
  }

  private func location() throws -> URL {
    try #require(URL(string: "journal://ada:secret@example.org/cards"))
  }

  @Test("It tells of each piece, and then has all rows")
  func progress() async throws {
    let journal = try await journal(commits: 45, pause: .milliseconds(1))
    let told = Mutex<[OpeningProgress]>([])
    let opening = await JournalStore.opening(of: journal, Library.entities) { progress in
      told.withLock { $0.append(progress) }
    }
    guard case .ready(let store) = opening else {
      Issue.record("\(opening)")
      return
    }
    #expect(told.withLock { $0.map(\.number) } == [1, 2, 3, 4, 5])
    #expect(told.withLock { $0.allSatisfy { $0.count == 5 } })
    #expect(try store.makeContext().count(LibraryCard.self) == 45)
    guard case .created = await JournalStore.opening(of: Journal(), Library.entities) else {
      Issue.record("not created")
      return
    }
    let other = await JournalStore.opening(of: journal, [Note.self, Topic.self])
    guard case .otherSchema = other else {
      Issue.record("\(other)")
      return
    }
  }

  @Test("It ends soon after its task was cancelled")
  func cancelled() async throws {
    let journal = try await journal(commits: 100, pause: .milliseconds(20))
    let told = Mutex<[Int]>([])
    let (begun, proceed) = (Gate(), DispatchSemaphore(value: 0))
    let opening = Task.detached {
      await JournalStore.opening(of: journal, Library.entities) { progress in
        told.withLock { $0.append(progress.number) }
        guard progress.number == 2 else { return }
        Task { await begun.open() }
        proceed.wait()
      }
    }
    await begun.pass()
    opening.cancel()
    proceed.signal()
    let outcome = await opening.value
    guard case .cancelled = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(told.withLock { $0 } == [1, 2])
  }

  @Test("A tree shows how far it is, and then has the root context", .hangGuard)
  func tree() async throws {
    let journal = try await journal(commits: 30, pause: .milliseconds(5))
    let application = Application()
    let screen = Controller()
    try application.append(screen)
    var phases: [StoreOpening.OpeningPhase] = []
    let token = screen.observe(StoreOpening.self) { _, opening in
      if let phase = opening.value?.phase { phases.append(phase) }
    }
    let url = try location()
    application.openStore(at: url) { progress in
      try await JournalStore.opening(of: journal, Library.entities, progress: progress)
        .opened(at: url).makeContext()
    }
    #expect(
      try application.require(StoreOpening.self).url.absoluteString
        == "journal://example.org/cards")
    let context = try await screen.context(whenReady: ObjectContext.self)
    #expect(try context.count(LibraryCard.self) == 30)
    #expect(phases.first == .waiting && phases.last == .ready)
    token.cancel()
  }

  @Test("A refused store leaves the tree usable, and trying again opens it")
  func refused() async throws {
    let journal = try await journal(commits: 3, pause: .zero)
    let application = Application()
    application.onFailure { _, _ in .handled }
    let attempts = Atomic(0)
    let url = try location()
    application.openStore(at: url) { progress in
      let isFirst = attempts.wrappingAdd(1, ordering: .relaxed).oldValue == 0
      return try await JournalStore.opening(
        of: journal, isFirst ? [Note.self, Topic.self] : Library.entities, progress: progress
      ).opened(at: url).makeContext()
    }
    await #expect(throws: OpeningError.self) {
      _ = try await application.context(whenReady: ObjectContext.self)
    }
    let shown = application.context(StoreOpening.self)?.phase
    #expect(
      shown
        == .failed(
          "could not open journal://example.org/cards: it is open with another schema"))
    application.send(RetryOpening())
    let context = try await application.context(whenReady: ObjectContext.self)
    #expect(try context.count(LibraryCard.self) == 3)
  }
}
