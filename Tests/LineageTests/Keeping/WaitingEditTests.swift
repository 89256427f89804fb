import Foundation
import Lineage
import LineageTestSupport
import Testing

@Suite("Unfinished edits wait for their store", .hangGuard)
@MainActor
struct WaitingEditTests {
  /// Returns the archive of an editor with an edit.
  private func archive(_ store: any ObjectStore) throws -> StateArchive {
    try Desk.run(on: store) { desk throws in
      try desk.open("editor")["a"]?.rightCount = 5
      return desk.archive
    }
  }

  @Test("They are carried while the context is missing, and come in the round in which it comes")
  func late() throws {
    let store = try storeWithCard()
    var archive = try archive(store)
    for _ in 0..<2 {
      archive = try Desk.run(archive, on: nil) { desk throws in
        #expect(desk.restoration.report.count(.waiting) > 0)
        return desk.archive
      }
    }
    try Desk.run(archive, on: nil) { desk throws in
      var seen: [Int] = []
      let editor = try desk.editor("editor")
      let token = editor.observe(ObjectContext.self) { editor, _ in
        if let card = try? editor["a"] { seen.append(card.rightCount) }
      }
      desk.app.provide(store.makeContext())
      #expect(seen.last == 5)
      #expect(try editor["a"]?.rightCount == 5)
      #expect(desk.restoration.brokenInvariant == nil)
      withExtendedLifetime(token) {}
    }
  }

  @Test("While they wait, the branch counts as unsaved")
  func leaving() throws {
    let store = try storeWithCard()
    let archive = try archive(store)
    for decision in [Responder.UnsavedDecision.save, .saveAll] {
      let next = try Desk.run(archive, on: nil) { desk throws in
        let editor = try desk.editor("editor")
        let error = #expect(throws: UnsavedChanges.self) { try editor.leave(decision) }
        #expect(error?.isWaiting == true)
        #expect(throws: UnsavedChanges.self) { try editor.withdraw(ObjectContext.self) }
        return desk.archive
      }
      try Desk.run(next, on: store) { desk throws in
        #expect(try desk.editor("editor")["a"]?.rightCount == 5)
      }
    }
    let next = try Desk.run(archive, on: nil) { desk throws in
      let editor = try desk.editor("editor")
      try editor.withdraw(ObjectContext.self, unsaved: .discard)
      editor.branch(ObjectContext.self, restoring: .edits)
      desk.app.provide(store.makeContext())
      #expect(try editor["a"]?.rightCount == 1)
      return desk.archive
    }
    try Desk.run(next, on: store) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 1)
    }
  }

  @Test("Those of another store wait beside the present ones")
  func otherStore() throws {
    let (store, other) = (try storeWithCard(), try storeWithCard("other"))
    let first = try archive(store)
    let archive = try Desk.run(first, on: other) { desk throws in
      let editor = try desk.editor("editor")
      #expect(try editor["a"]?.rightCount == 1 && !editor.context().hasUnsavedChanges)
      #expect(desk.notes.contains("editor: its changes wait for the store store."))
      try editor["a"]?.rightCount = 9
      return desk.archive
    }
    try Desk.run(archive, on: other) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 9)
    }
    try Desk.run(archive, on: store) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 5)
    }
    try Desk.run(archive, on: other) { desk throws in
      // The branch follows to the store of the edits.
      let editor = try desk.editor("editor")
      try editor.context().discard()
      desk.app.provide(store.makeContext())
      #expect(try editor["a"]?.rightCount == 5)
    }
  }

  @Test("A store that opens late, after a failure, brings them; the root's own edits, too")
  func opening() async throws {
    let drawer = try Drawer()
    let url = drawer.file("library.sqlite")
    let obstacle = drawer.file("not yet")
    func run<Result>(
      _ archive: StateArchive? = nil, _ contents: RestoredContents = .edits, fails: Bool = false,
      _ body: (Desk) async throws -> Result
    ) async throws -> Result {
      let open: (Application) -> Void = { app in
        app.openStore(at: url, restoring: contents) { _ in
          if fails, !FileManager.default.fileExists(atPath: obstacle.path) {
            throw Mishap("not yet")
          }
          return try await SQLiteStore.open(at: url, Library.entities).makeContext()
        }
      }
      return try await Desk.run(archive, open) { desk throws in
        if !fails {
          _ = try await desk.app.context(whenReady: ObjectContext.self)
          desk.app.drain()
        }
        return try await body(desk)
      }
    }
    func check(_ desk: Desk) throws {
      #expect(try desk.editor("editor")["a"]?.rightCount == 5)
      #expect(try desk.editor("editor")["root's"]?.answer == "editor's")
      let own = try desk.root.fetch(EditedCard.self, where: { $0.question == "root's" })
      #expect(own.first?.answer == "" && own.first?.changes.kind == .inserted)
    }
    let archive = try await run { desk in
      try desk.root.insert(EditedCard("a", rightCount: 1))
      try desk.root.save()
      let editor = try desk.open("editor")
      try desk.root.insert(EditedCard("root's"))
      try editor["a"]?.rightCount = 5
      try editor["root's"]?.answer = "editor's"
      return desk.archive
    }
    let carried = try await run(archive, fails: true) { desk throws in
      await #expect(throws: Mishap("not yet")) {
        _ = try await desk.app.context(whenReady: ObjectContext.self)
      }
      let carried = desk.archive
      try Data().write(to: obstacle)
      desk.app.send(RetryOpening())
      _ = try await desk.app.context(whenReady: ObjectContext.self)
      desk.app.drain()
      try check(desk)
      return carried
    }
    try await run(carried) { try check($0) }
    try await run(archive, .nothing) { desk throws in #expect(try !desk.root.hasUnsavedChanges) }
    try await run(archive) { desk throws in
      try check(desk)
      try desk.editor("editor").context().saveAll()
    }
    try await run(archive) { desk throws in
      #expect(try !desk.root.hasUnsavedChanges && !desk.root.hasUnsavedChangesBelow)
      #expect(
        desk.notes.count { $0.hasSuffix("were saved, or dropped above, before the process ended.") }
          == 2)
    }
  }
}
