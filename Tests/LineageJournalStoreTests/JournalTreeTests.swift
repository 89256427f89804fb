import Foundation
import Lineage
import LineageJournalStore
import LineageTestSupport
import Synchronization
import Testing

private typealias LibraryCard = LineageTestSupport.Card

@Suite("A store made of a journal, in a tree", .hangGuard)
@MainActor
struct JournalTreeTests {
  /// Waits until a condition is true, at most a minute.
  private func wait(until isSo: () -> Bool) async throws {
    for _ in 0..<6_000 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test("What another store commits is pushed into a list; nobody asks for it")
  func pushed() async throws {
    let journal = Journal()
    let (mine, theirs) = try await JournalStore.two(of: journal, Library.entities)
    let application = Application()
    application.provide(mine.makeContext())
    let context = try application.require(ObjectContext.self)
    let list = try LiveList(FetchRequest<LibraryCard>(sort: { $0.rightCount }), in: context)
    let running = Task { await application.run() }
    defer { running.cancel() }
    let others = theirs.makeContext()
    for number in 0..<300 { try others.insert(LibraryCard("c\(number)", rightCount: number)) }
    try others.save()
    try await wait { list.count == 300 }
    #expect(list.map(\.rightCount) == Array(0..<300))
    for card in try others.fetch(LibraryCard.self, where: { $0.rightCount < 100 }) {
      try others.delete(card)
    }
    try others.save()
    try await wait { list.count == 200 }
    #expect(list.first?.rightCount == 100)
    // The list has its rows before the letter that brought them is done.
    var trips = -1
    try await wait {
      defer { trips = journal.tripCount }
      return trips == journal.tripCount
    }
    try await Task.sleep(for: .milliseconds(500))
    #expect(journal.tripCount == trips, "an idle tree asks nothing")
  }

  @Test("Background work tells how far it is, and saves what it leaves")
  func background() async throws {
    let journal = Journal()
    let (mine, theirs) = try await JournalStore.two(of: journal, Library.entities)
    let application = Application()
    application.provide(theirs.makeContext())
    let list = try LiveList(
      FetchRequest<LibraryCard>(sort: { $0.rightCount }),
      in: try application.require(ObjectContext.self))
    let told = Mutex<[Int]>([])
    try await mine.background(progress: { progress in
      told.withLock { $0.append(progress.completed) }
    }) { context, progress in
      for number in 0..<500 {
        try context.insert(LibraryCard("c\(number)", rightCount: number))
        if number % 100 == 99 {
          try context.save()
          try progress.report(number + 1, of: 500)
        }
      }
    }
    #expect(told.withLock { $0 } == [100, 200, 300, 400, 500])
    await #expect(throws: CancellationError.self) {
      try await mine.background { context, progress in
        _ = try context.insert(LibraryCard("never"))
        progress.cancel()
      }
    }
    try theirs.postForeignCommits()
    while application.drain() > 0 {}
    #expect(list.count == 500)
  }

  @Test("After a lost answer the edits stay, and the next merge tells what was stored")
  func lostAnswer() async throws {
    let journal = Journal()
    let (store, _) = try await JournalStore.two(of: journal, Library.entities)
    let context = store.makeContext()
    let card = try context.insert(LibraryCard("old"))
    let doomed = try context.insert(LibraryCard("doomed"))
    try context.save()
    card.question = "edited"
    let new = try context.insert(LibraryCard("new"))
    try context.delete(doomed)
    journal.loseNextAnswer()
    #expect {
      try context.save()
    } throws: { error in
      if case .unknownOutcome? = (error as? GraphError)?.reason { true } else { false }
    }
    #expect(context.hasUnsavedChanges && card.question == "edited" && !new.isDeleted)
    try context.merge()
    #expect(!context.hasUnsavedChanges && card.question == "edited" && new.question == "new")
    #expect(doomed.isDeleted)
    #expect(try store.makeContext().count(LibraryCard.self) == 2)
    card.question = "again"
    try context.save()
    #expect(journal.entryCount == 3)
  }
}
