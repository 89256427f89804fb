import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

/// A note whose list of tags is kept as JSON. Each encoding of the list ``Tags/counted`` is counted. Only
/// one test makes this list, because tests run at the same time.
private struct Note: Entity {
  struct Tags: Codable, Sendable, Equatable {
    var names: [String] = []

    static let counted = ["counted"]
    static let encodings = Mutex(0)
    /// The closure that hears of each decoded list.
    static let onDecode = Mutex<(@Sendable ([String]) -> Void)?>(nil)

    init(_ names: [String] = []) { self.names = names }

    init(from decoder: any Decoder) throws {
      names = try decoder.singleValueContainer().decode([String].self)
      Self.onDecode.withLock { $0 }?(names)
    }

    func encode(to encoder: any Encoder) throws {
      if names == Self.counted { Self.encodings.withLock { $0 += 1 } }
      var container = encoder.singleValueContainer()
      try container.encode(names)
    }
  }

  var text = ""
  var secret = ""
  var tags = Tags()

  static let schema = Schema<Note>("Note") {
    Attribute("text", \.text)
    Attribute("secret", \.secret, inState: false)
    Attribute("tags", json: \.tags)
  }
}

/// The note of a later program.
private struct LaterNote: Entity {
  var body = ""
  var tags = 0
  var stars = 3

  static let schema = Schema<LaterNote>("Note") {
    Attribute("body", \.body, formerly: "text")
    Attribute("tags", \.tags)
    Attribute("stars", \.stars)
  }
}

@Suite("What is kept of unfinished edits")
struct KeepingTests {
  @Test("Of changes above the limit, nothing is archived, and it is reported once")
  func limit() throws {
    let store = try storeWithCard()
    let archives = try Desk.run(on: store) { desk throws in
      desk.restoration.limits.editBytes = 2_000
      let editor = try desk.open("editor")
      let archives = try ["small", "", "", "short"].enumerated().map { number, text in
        try editor["a"]?.answer =
          text.isEmpty ? String(repeating: "x", count: number * 3_000) : text
        return desk.archive
      }
      #expect(desk.restoration.report.problems.count == 1)
      #expect(desk.restoration.report.problems.first?.contains("the limit is 2000") == true)
      return archives
    }
    let answers = try archives.map { archive in
      try Desk.run(archive, on: store) { try $0.editor("editor")["a"]?.answer }
    }
    #expect(answers == ["small", "", "", "short"])
  }

  @Test("A large value that is not edited counts for nothing")
  func largeValue() throws {
    let store = try storeWithCard()
    try commit(store) { $1.answer = String(repeating: "x", count: 2 << 20) }
    let archive = try Desk.run(on: store) { desk in
      try desk.open("editor")["a"]?.rightCount = 5
      return desk.archive
    }
    #expect(archive.bytes.count < 10_000)
    try commit(store) { try $0.delete($1) }
    try Desk.run(archive, on: store) { desk in
      let context = try desk.editor("editor").context()
      #expect(try desk.editor("editor")["a"]?.rightCount == 5)
      context.conflictPolicy = .mine
      try context.saveAll()
    }
    let card = try store.makeContext().fetch(EditedCard.self).first
    #expect(card?.question == "a" && card?.answer == "" && card?.rightCount == 5)
  }

  @Test("A save copies the bytes of branches that have not changed")
  func copies() throws {
    let store = try MemoryStore([Note.self])
    try Desk.run(on: store) { desk throws in
      let editors = try (0..<10).map { try desk.open("editor \($0)") }
      for editor in editors {
        try editor.context().insert(Note()).tags = Note.Tags(Note.Tags.counted)
      }
      _ = desk.archive
      #expect(Note.Tags.encodings.withLock { $0 } >= 10)
      Note.Tags.encodings.withLock { $0 = 0 }
      editors[3].card = nil
      let archive = desk.archive
      #expect(Note.Tags.encodings.withLock { $0 } == 0)
      #expect(desk.archive == archive)
      try editors[3].context().fetch(Note.self).first?.text = "other"
      Note.Tags.encodings.withLock { $0 = 0 }
      #expect(desk.archive != archive)
      #expect(Note.Tags.encodings.withLock { $0 } == 1)
    }
  }

  @Test("Neither a save nor a launch without edits makes a child")
  func noChild() throws {
    let store = try storeWithCard()
    let archive = try Desk.run(on: store) { desk throws in
      let editor = try desk.open("editor")
      let archive = desk.archive
      #expect(!editor.hasBranchChild(ObjectContext.self))
      return archive
    }
    try Desk.run(archive, on: store) { desk throws in
      #expect(try !desk.editor("editor").hasBranchChild(ObjectContext.self))
    }
  }

  @Test("An attribute with inState: false is never archived")
  func secret() throws {
    let store = try MemoryStore([Note.self])
    let root = store.makeContext()
    let notes = try (0..<3).map { number in
      let note = try root.insert(Note())
      (note.text, note.secret) = ("\(number)", "stored")
      return note.id
    }
    try root.save()
    let (archive, id) = try Desk.run(on: store) { desk throws in
      let context = try desk.open("editor").context()
      let new = try context.insert(Note())
      (new.text, new.secret) = ("new", "hunter2")
      let both = try context.object(with: notes[0])
      (both.text, both.secret) = ("edited", "hunter2")
      try context.object(with: notes[1]).secret = "hunter2"
      try context.delete(context.object(with: notes[2]))
      return (desk.archive, new.id)
    }
    #expect(!archive.bytes.contains(Array("hunter2".utf8)))
    #expect(!archive.bytes.contains(Array("stored".utf8)))
    try Desk.run(archive, on: store) { desk throws in
      let again = try desk.editor("editor").context()
      #expect(try again.object(with: notes[0]).text == "edited")
      #expect(try again.object(with: notes[0]).secret == "stored")
      #expect(try again.object(with: notes[1]).changes.properties == [])
      #expect(try again.find(notes[2]) == nil)
      #expect(try again.object(with: id).text == "new" && again.object(with: id).secret == "")
      try again.saveAll()
    }
  }

  @Test("A later schema gets what it has by name; the rest is left out and reported")
  func evolution() throws {
    let store = try MemoryStore([Note.self], id: "store")
    let later = try MemoryStore([LaterNote.self], id: "store")
    let ids = [Ref<Note>(key: 1), Ref<Note>(key: 2), Ref<Note>(key: 3)]
    let (root, laterRoot) = (store.makeContext(), later.makeContext())
    for id in ids {
      try root.insert(Object(Note(), id: id))
      let note = Object(LaterNote(), id: Ref(key: id.key))
      note.stars = id.key == 3 ? 5 : 3
      try laterRoot.insert(note)
    }
    try root.save()
    try laterRoot.save()
    let archive = try Desk.run(on: store) { desk throws in
      let context = try desk.open("editor").context()
      let one = try context.object(with: ids[0])
      (one.text, one.tags) = ("edited", Note.Tags(["tag"]))
      try context.object(with: ids[1]).tags = Note.Tags(["tag"])
      try context.delete(context.object(with: ids[2]))
      return desk.archive
    }
    try Desk.run(archive, on: later) { desk throws in
      let context = try desk.editor("editor").context()
      let first = try context.object(with: Ref<LaterNote>(key: 1))
      #expect(first.body == "edited" && first.tags == 0 && first.stars == 3)
      #expect(first.changes.properties == ["body"])
      #expect(try context.object(with: Ref<LaterNote>(key: 2)).changes.properties == [])
      #expect(desk.notes.count { $0.contains(".tags was left out") } == 2)
      // What was deleted may have had another number of stars.
      #expect(throws: GraphError.self) { try context.save() }
      context.conflictPolicy = .mine
      try context.saveAll()
    }
    #expect(try later.makeContext().fetch(LaterNote.self).count == 2)
  }

  @Test("Erasing drops archived and waiting changes; present ones need a screen that discards")
  func erasing() throws {
    let store = try storeWithCard()
    let archive = try Desk.run(on: store) { desk throws in
      try desk.open("editor")["a"]?.answer = "a private answer"
      let archive = desk.archive
      try desk.editor("editor").leave(.discard)
      desk.restoration.erase()
      #expect(!desk.archive.bytes.contains(Array("private".utf8)))
      return archive
    }
    try Desk.run(archive, on: nil) { desk throws in
      desk.restoration.erase(at: ["editor"])
      #expect(!desk.archive.bytes.contains(Array("private".utf8)))
      desk.app.provide(store.makeContext())
      #expect(try desk.editor("editor")["a"]?.answer == "")
    }
  }

  @Test("A rehearsal compares the changes of both trees, and writes no receipts of the first")
  func rehearsal() throws {
    let store = try storeWithCard()
    let archive = try Desk.run(on: store) { desk throws in
      try desk.open("editor")["a"]?.rightCount = 5
      func rehearse() throws -> Application {
        try desk.restoration.rehearse(from: desk.app) {
          let app = Application()
          app.provide(store.makeContext())
          return app
        }
      }
      let again = try rehearse()
      let other = try #require(again.children.first as? Editor)
      #expect(try other["a"]?.rightCount == 5)
      let archive = desk.archive
      try other.context().saveAll()
      withExtendedLifetime(again) {}

      let plain = try desk.open("plain", keeps: false)
      plain.branch(ObjectContext.self)
      let below = Editor()
      try plain.append(below)
      _ = try below.context()
      let error = #expect(throws: RehearsalError.self) { try rehearse() }
      let problems = error?.problems.filter { $0.contains("keeps the changes") } ?? []
      #expect(problems.count == 1 && problems.first?.contains("no restorationIdentifier") == true)
      (below.restorationIdentifier, below.restorationKind) = ("below", "editor")
      let second = #expect(throws: RehearsalError.self) { try rehearse() }
      #expect(second?.problems.contains { $0.contains("whose changes are not kept") } == true)
      let nameless = Application()
      nameless.branch(ObjectContext.self, restoring: .edits)
      let error3 = #expect(throws: RehearsalError.self) {
        try Restoration {}.rehearse(from: nameless) { Application() }
      }
      #expect(error3?.problems.contains { $0.contains("has no ContextName") } == true)
      return archive
    }
    // It was the other one that was saved.
    try Desk.run(archive, on: store) { desk throws in
      #expect(try desk.editor("editor").context().hasUnsavedChanges)
    }
  }

  @Test("A process without the folder's lock restores none, says so, and loses none")
  func locked() throws {
    let drawer = try Drawer()
    let store = try storeWithCard()
    do {
      let (app, restoration) = launch(store, drawer)
      let editor = Editor()
      editor.restorationIdentifier = "editor"
      editor.restorationKind = "editor"
      try app.append(editor)
      try editor["a"]?.rightCount = 5
      try restoration.save()
    }
    do {
      let (app, _) = launch(store, drawer)
      #expect(try (app.children.first as? Editor)?["a"]?.rightCount == 5)
      let (second, restoration) = launch(store, drawer)
      #expect(try (second.children.first as? Editor)?["a"]?.rightCount == 1)
      #expect(restoration.report.problems.contains { $0.contains("is not locked") })
      withExtendedLifetime((app, second)) {}
    }
    let (app, _) = launch(store, drawer)
    #expect(try (app.children.first as? Editor)?["a"]?.rightCount == 5)
    withExtendedLifetime(app) {}
  }

  /// Launches an app that saves its state in a folder, and shows an editor.
  private func launch(_ store: MemoryStore, _ drawer: Drawer) -> (Application, Restoration) {
    let app = Application()
    app.provide(store.makeContext())
    let restoration = Restoration(in: .at(drawer.file("state"))) {
      Kind("editor") { request in request.existing ?? Editor() }
      ContextName.objects
    }
    app.launch(restoring: restoration)
    return (app, restoration)
  }

  @Test("Edits that end with their context are reported, unless the app has saved them at its end")
  func ending() throws {
    for isTerminated in [false, true] {
      let faults = Mutex(0)
      do {
        let (app, _) = launch(try storeWithCard(), try Drawer())
        let editor = Editor()
        editor.restorationIdentifier = "editor"
        editor.restorationKind = "editor"
        try app.append(editor)
        try editor.context().onError = { _ in faults.withLock { $0 += 1 } }
        try editor["a"]?.rightCount = 5
        if isTerminated { app.terminate() }
      }
      #expect(faults.withLock { $0 } == (isTerminated ? 0 : 1))
    }
  }

  @Test("The objects of many branches are fetched by one query for each 500")
  func queries() throws {
    let base = try MemoryStore(Library.entities)
    let root = base.makeContext()
    let cards = try (0..<500).map { try root.insert(EditedCard("\($0)")).id }
    try root.save()
    let archive = try Desk.run(on: base) { desk throws in
      for number in 0..<50 {
        let context = try desk.open("editor \(number)").context()
        for card in cards[number * 10..<(number + 1) * 10] {
          try context.object(with: card).rightCount = 1
        }
      }
      return desk.archive
    }
    let store = CountingStore(base)
    try Desk.run(archive, on: store) { desk throws in
      let calls = store.take().calls
      #expect(calls.queries == 1 && calls.lookups == 0 && calls.rows == 500)
      #expect(try desk.editor("editor 49").context().object(with: cards[499]).rightCount == 1)
    }
  }

  @Test("A process that ends while a kept JSON value is decoded has ended in that record")
  func guarded() throws {
    let drawer = try Drawer()
    let store = try MemoryStore([Note.self])
    let archive = try Desk.run(on: store) { desk in
      for name in ["good", "bad"] {
        try desk.open(name).context().insert(Note()).tags = Note.Tags([name])
      }
      return desk.archive
    }
    let (page, end) = (drawer.file("page"), drawer.file("end"))
    Note.Tags.onDecode.withLock {
      $0 = { names in
        guard names == ["bad"] else { return }
        try? FileManager.default.removeItem(at: end)
        try? FileManager.default.copyItem(at: page, to: end)
      }
    }
    defer { Note.Tags.onDecode.withLock { $0 = nil } }
    for _ in 0..<2 {
      try Desk.run(archive, on: store, guardedIn: page) { _ in }
      // The next launch finds the page as it was in the middle of the decoding.
      try FileManager.default.removeItem(at: page)
      try FileManager.default.moveItem(at: end, to: page)
    }
    try Desk.run(archive, on: store, guardedIn: page) { desk throws in
      let left = desk.restoration.report.records.filter { $0.outcome == .leftOut }
      #expect(left.map(\.path) == [["bad"]])
      #expect(try desk.editor("good").context().hasUnsavedChanges)
    }
  }

  @Test("Damaged bytes restore nothing, and every cut of them is told")
  func damage() throws {
    let store = try storeWithCard()
    let context = store.makeContext()
    context.keepEdits {}
    try context.fetch(EditedCard.self).first?.rightCount = 5
    let bytes = try #require(KeptChanges(of: context)).bytes(in: context.model)
    for count in 0..<bytes.count {
      #expect(throws: (any Error).self) { try KeptChanges(Array(bytes[..<count]), for: context) }
    }
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        // It may be other changes, but it never traps.
        _ = try? KeptChanges(flipped, for: context)
      }
    }
  }
}
