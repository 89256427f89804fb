import Lineage
import LineageTestSupport
import Testing

@Suite("An unfinished edit comes back")
struct UnfinishedEditTests {
  /// Returns the archive of an editor with an edit.
  private func archive(_ store: any ObjectStore) throws -> StateArchive {
    try Desk.run(on: store) { desk throws in
      try desk.open("editor")["a"]?.rightCount = 5
      return desk.archive
    }
  }

  @Test(
    "Values, new objects and deletions come back, and can be saved", arguments: Strategy.allCases)
  func saved(strategy: Strategy) throws {
    let store = try storeWithCard()
    let archive = try Desk.run(on: store, strategy: strategy) { desk throws in
      let editor = try desk.open("editor")
      let doomed = try desk.root.insert(EditedCard("doomed"))
      try desk.root.save()
      try editor["a"]?.rightCount = 5
      let new = try editor.context().insert(EditedCard("new"))
      new.deck = try editor.context().insert(EditedDeck("deck"))
      editor.card = new
      try editor.context().delete(try editor.context().object(with: doomed.id))
      return desk.archive
    }
    try Desk.run(archive, on: store, strategy: strategy) { desk throws in
      let editor = try desk.editor("editor")
      #expect(desk.restoration.report.problems == [] && desk.restoration.brokenInvariant == nil)
      #expect(try editor["a"]?.rightCount == 5)
      #expect(try editor["a"]?.changes.properties == ["rightCount"])
      #expect(editor.card?.question == "new" && editor.card?.deck?.name == "deck")
      #expect(editor.card?.changes.kind == .inserted)
      #expect(editor.$card.missing.isEmpty && !desk.notes.contains { $0.contains("misses") })
      #expect(try editor["doomed"] == nil)
      let root = try desk.root
      #expect(!root.hasUnsavedChanges && root.hasUnsavedChangesBelow)
      let above = try root.fetch(EditedCard.self, sort: { $0.question })
      #expect(above.map(\.question) == ["a", "doomed"])
      try editor.context().saveAll()
    }
    let cards = try store.makeContext().fetch(EditedCard.self, sort: { $0.question })
    #expect(cards.map(\.question) == ["a", "new"] && cards.map(\.rightCount) == [5, 0])
  }

  @Test("An edit finds its conflict, and can be discarded")
  func conflict() throws {
    let store = try storeWithCard()
    let archive = try archive(store)
    try commit(store) { _, card in (card.rightCount, card.answer) = (2, "theirs") }
    let next = try Desk.run(archive, on: store) { desk throws in
      let context = try desk.editor("editor").context()
      let card = try #require(try desk.editor("editor")["a"])
      #expect(card.rightCount == 5 && card.answer == "theirs")
      #expect(throws: GraphError.self) { try context.save() }
      context.discard()
      #expect(card.rightCount == 2)
      return desk.archive
    }
    // Nothing is left of the edit.
    try Desk.run(next, on: store) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 2)
    }
  }

  @Test("Nested editors have the changes of each, parents first", arguments: Strategy.allCases)
  func nested(strategy: Strategy) throws {
    let store = try storeWithCard()
    let archive = try Desk.run(on: store, strategy: strategy) { desk throws in
      let outer = try desk.open("outer")
      let inner = try desk.open("inner", below: outer)
      try outer["a"]?.rightCount = 2
      let new = try outer.context().insert(EditedCard("new"))
      try inner["a"]?.rightCount = 3
      inner.card = try inner.context().object(with: new.id)
      inner.card?.answer = "inner"
      return desk.archive
    }
    try Desk.run(archive, on: store, strategy: strategy) { desk throws in
      let (outer, inner) = (try desk.editor("outer"), try desk.editor("outer", "inner"))
      #expect(desk.restoration.report.problems == [])
      #expect(try outer["a"]?.rightCount == 2 && inner["a"]?.rightCount == 3)
      #expect(inner.card?.answer == "inner" && inner.card?.changes.kind == .updated)
      #expect(try outer["new"]?.answer == "")
      try inner.context().saveAll()
    }
    let cards = try store.makeContext().fetch(EditedCard.self, sort: { $0.rightCount })
    #expect(cards.map(\.answer) == ["inner", ""] && cards.map(\.rightCount) == [0, 3])
  }

  /// The end of a process after its last archive.
  enum End: CaseIterable { case saveAll, saveBoth, saveInParent, discardInParent }

  @Test("What was saved after the last archive is not done twice", arguments: End.allCases)
  func savedMeanwhile(end: End) throws {
    let store = try storeWithCard()
    let isSaved = end == .saveAll || end == .saveBoth
    let archive = try Desk.run(on: store) { desk throws in
      let editor = try desk.open("editor")
      try editor["a"]?.rightCount = 5
      try editor.context().insert(EditedCard("new"))
      let archive = desk.archive
      if end == .saveAll { try editor.context().saveAll() } else { try editor.context().save() }
      if end == .saveBoth { try desk.root.save() }
      if end == .discardInParent { try desk.root.discard() }
      return archive
    }
    // `commit` changes the card as another process does.
    if end == .saveBoth { try commit(store) { _, card in card.rightCount = 7 } }
    let next = try Desk.run(archive, on: store) { desk throws in
      let context = try desk.editor("editor").context()
      #expect(context.hasUnsavedChanges != isSaved)
      #expect(try context.fetch(EditedCard.self).count == 2)
      #expect(try desk.editor("editor")["a"]?.rightCount == (end == .saveBoth ? 7 : 5))
      let note = "editor: its changes were saved, or dropped above, before the process ended."
      #expect(desk.notes.contains(note) == isSaved)
      return desk.archive
    }
    try Desk.run(next, on: store) { desk throws in
      #expect(try desk.editor("editor").context().hasUnsavedChanges != isSaved)
      try desk.editor("editor").context().saveAll()
    }
    #expect(try store.makeContext().fetch(EditedCard.self).count == 2)
    // An archive of any age knows that they are saved now.
    for archive in [archive, next] {
      try Desk.run(archive, on: store) { desk throws in
        #expect(try !desk.editor("editor").context().hasUnsavedChanges)
      }
    }
  }

  @Test("A save in a later process is known by the archive of the process before")
  func chain() throws {
    let store = try storeWithCard()
    let archive = try archive(store)
    // This process is killed before it has saved its state.
    try Desk.run(archive, on: store) { try $0.editor("editor").context().saveAll() }
    let next = try Desk.run(archive, on: store) { desk throws in
      #expect(try !desk.editor("editor").context().hasUnsavedChanges)
      try desk.editor("editor")["a"]?.rightCount = 6
      return desk.archive
    }
    try Desk.run(next, on: store) { desk throws in
      #expect(try desk.editor("editor")["a"]?.changes.properties == ["rightCount"])
      #expect(try desk.editor("editor")["a"]?.rightCount == 6)
    }
  }

  @Test("A new object whose id exists is left out, and carried")
  func idTaken() throws {
    let store = try storeWithCard()
    let (archive, id) = try Desk.run(on: store) { desk throws in
      let new = try desk.open("editor").context().insert(EditedCard("new"))
      try desk.editor("editor")["a"]?.rightCount = 5
      return (desk.archive, new.id)
    }
    let other = store.makeContext()
    try other.insert(Object(EditedCard("taken"), id: id))
    try other.save()
    var next = archive
    for _ in 0..<2 {
      next = try Desk.run(next, on: store) { desk throws in
        let editor = try desk.editor("editor")
        #expect(try editor.context().object(with: id).question == "taken")
        #expect(desk.notes.count { $0.contains("(idTaken)") } == 1)
        let archive = desk.archive
        // `saveAll()` does not save the object that was left out.
        try editor.context().saveAll()
        try editor["a"]?.rightCount += 1
        return archive
      }
    }
    try other.merge()
    try other.delete(try other.object(with: id))
    try other.save()
    try Desk.run(next, on: store) { desk throws in
      #expect(try desk.editor("editor")["new"]?.changes.kind == .inserted)
    }
  }

  @Test("Code that branches without restoring: .edits gets none, and the report says so")
  func unkept() throws {
    let store = try storeWithCard()
    let app = Application()
    app.provide(store.makeContext())
    let restoration = Restoration {
      Kind("editor") { _ in
        let editor = Editor(keeps: false)
        editor.branch(ObjectContext.self)
        return editor
      }
      ContextName.objects
    }
    app.launch(restoring: restoration, from: try archive(store))
    let editor = try #require(app.children.first as? Editor)
    #expect(try editor["a"]?.rightCount == 1 && !editor.context().hasUnsavedChanges)
    #expect(restoration.report.notes.count { $0.contains("(restoring: .edits)") } == 1)
    // An older state never comes back.
    try Desk.run(restoration.archive(of: app, asksAll: false), on: store) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 1)
    }
  }

  @Test("An archive that is restored while the application runs leaves the present edits")
  func running() throws {
    let store = try storeWithCard()
    let archive = try Desk.run(on: store) { desk in
      let card = try #require(try desk.open("editor")["a"])
      (card.rightCount, card.answer) = (5, "archived")
      return desk.archive
    }
    let next = try Desk.run(on: store) { desk in
      try desk.open("editor")["a"]?.answer = "present"
      try desk.open("other")["a"]?.answer = "also present"
      // The state is saved, so nothing is marked as changed any more.
      _ = desk.archive
      desk.restoration.restore(archive, into: desk.app)
      #expect(try desk.editor("editor")["a"]?.answer == "present")
      #expect(try desk.editor("editor")["a"]?.rightCount == 5)
      let archive = desk.archive
      try desk.editor("editor").context().saveAll()
      return archive
    }
    try Desk.run(next, on: store) { desk in
      let other = try desk.editor("other")
      #expect(try other["a"]?.answer == "also present")
    }
    // Both archives know that all of it was saved.
    for archive in [archive, next] {
      try Desk.run(archive, on: store) { desk throws in
        #expect(try !desk.editor("editor").context().hasUnsavedChanges)
      }
    }
  }

  @Test("A screen that is opened later gets its edits then, and one that comes back has them")
  func opened() throws {
    let store = try storeWithCard()
    let archive = try archive(store)
    let app = Application()
    app.provide(store.makeContext())
    let restoration = Restoration { ContextName.objects }
    app.launch(restoring: restoration, from: archive)
    #expect(app.children.isEmpty)
    let editor = Editor()
    (editor.restorationIdentifier, editor.restorationKind) = ("editor", "editor")
    try app.append(editor)
    #expect(try editor["a"]?.rightCount == 5)
    editor.removeFromParent()
    let without = restoration.archive(of: app, asksAll: false)
    try app.append(editor)
    #expect(try editor["a"]?.rightCount == 5)
    try Desk.run(restoration.archive(of: app, asksAll: false), on: store) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 5)
    }
    try Desk.run(without, on: store) { #expect($0.app.children.isEmpty) }
    withExtendedLifetime(app) {}
  }

  @Test(
    "A branch that a screen with a record begins to keep is a kept one from then on, until it ends")
  func declaredLater() throws {
    let store = try storeWithCard()
    var archive = try Desk.run(on: store) { desk in
      try desk.open("editor", keeps: false)
      return desk.archive
    }
    archive = try Desk.run(archive, on: store, keeps: false) { desk in
      _ = desk.archive
      try desk.editor("editor").branch(ObjectContext.self, restoring: .edits)
      return desk.archive
    }
    archive = try Desk.run(archive, on: store, keeps: false) { desk in
      try desk.editor("editor")["a"]?.rightCount = 5
      return desk.archive
    }
    archive = try Desk.run(archive, on: store, keeps: false) { desk in
      #expect(try desk.editor("editor")["a"]?.rightCount == 5)
      try desk.editor("editor").branch(ObjectContext.self, restoring: .nothing)
      return desk.archive
    }
    try Desk.run(archive, on: store, keeps: false) { desk throws in
      #expect(try desk.editor("editor")["a"]?.rightCount == 1)
    }
  }

  @Test("A store that cannot be read loses no edit", arguments: [false, true])
  func unreadable(isLate: Bool) throws {
    let store = try storeWithCard()
    let archive = try archive(store)
    let broken = CountingStore(store)
    broken.fail(with: GraphError("read", .inputOutput("the disk is gone")))
    let next = try Desk.run(archive, on: isLate ? nil : broken) { desk in
      if isLate { desk.app.provide(broken.makeContext()) }
      #expect(desk.restoration.report.problems.count == 1)
      broken.fail(with: nil)
      let editor = try desk.editor("editor")
      try editor["a"]?.answer = "after it"
      return desk.archive
    }
    try Desk.run(next, on: store) { desk in
      let card = try desk.editor("editor")["a"]
      #expect(card?.rightCount == 5 && card?.answer == "after it")
    }
  }

  @Test("The branch of an editor that code outside has branched stays a kept one")
  func branchedOutside() throws {
    let store = try storeWithCard()
    var archive: StateArchive?
    for round in 1...3 {
      archive = try Desk.run(archive, on: store, keeps: false) { desk throws in
        if round == 1 {
          try desk.open("editor", keeps: false).branch(ObjectContext.self, .keep, restoring: .edits)
        }
        let editor = try desk.editor("editor")
        #expect(try editor["a"]?.rightCount == round)
        // In the first round, the branch has no edit.
        if round > 1 {
          try editor["a"]?.rightCount = round + 1
        } else {
          try commit(store) { $1.rightCount = 2 }
        }
        return desk.archive
      }
    }
  }
}
