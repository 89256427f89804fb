import Foundation
import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// A note in an earlier version of the program.
private struct Note: Entity {
  var text = ""
  static let schema = Schema<Note>("Note") { Attribute("text", \.text) }
}

/// A note in the present version of the program, where it is called a memo.
private struct Memo: Entity {
  var text = ""
  static let schema = Schema<Memo>("Memo") { Attribute("text", \.text) }
}

/// The key of the context of a second store.
private enum Catalogue: ContextKey { typealias Value = ObjectContext }

/// A controller that shows an object and a list of objects.
private final class Frame<Value: Entity>: Controller {
  @Restorable("object") var object: Object<Value>?
  @Restorable("list") var list: [Object<Value>] = []

  convenience init(_ identifier: String) {
    self.init()
    restorationIdentifier = identifier
  }
}

@Suite("An object that is not there any more is missing for a reason, and nothing crashes")
@MainActor
struct MissingObjectTests {
  private let drawer: Drawer
  private var url: URL { drawer.file("library.sqlite") }

  init() throws { drawer = try Drawer() }

  /// Returns a restoration. With `isMigrated`, it restores notes as memos.
  private static func restoration(isMigrated: Bool) -> Restoration {
    Restoration {
      for name in ["good", "deleted", "foreign", "unsaved", "loose"] {
        Kind(name, Frame<LibraryCard>.init)
      }
      if isMigrated { Kind("renamed", Frame<Memo>.init) } else { Kind("renamed", Frame<Note>.init) }
      ContextName.objects
      ContextName.objects("catalogue", Catalogue.self)
    }
  }

  private static func frame<Value: Entity>(
    _ app: Application, _ name: String, _: Value.Type = Value.self
  ) throws -> Frame<Value> {
    try #require(
      app.children.first { $0.restorationIdentifier == name } as? Frame<Value>, "\(name)")
  }

  /// Returns the archive of a tree. One of its objects is deleted after the archive is made.
  private func archive() async throws -> StateArchive {
    let store = try await SQLiteStore.open(at: url, Library.entities + [Note.self])
    return try Self.archive(in: store.makeContext())
  }

  @inline(never)
  private static func archive(in context: ObjectContext) throws -> StateArchive {
    let catalogue = try MemoryStore(Library.entities, id: "first-catalogue").makeContext()
    let app = Application()
    app.provide(context)
    app.provide(catalogue, for: Catalogue.self)
    let saved = try ["good", "deleted"].map { try context.insert(LibraryCard($0)) }
    let note = try context.insert(Note(text: "a note"))
    let foreign = try catalogue.insert(LibraryCard("foreign"))
    try context.save()
    try catalogue.save()
    let unsaved = try context.insert(LibraryCard("unsaved"))
    let loose = Object(LibraryCard("loose"))
    for (name, card) in [
      ("good", saved[0]), ("deleted", saved[1]), ("foreign", foreign), ("unsaved", unsaved),
      ("loose", loose),
    ] {
      let frame = Frame<LibraryCard>(name)
      try app.append(frame)
      frame.object = card
      frame.list = [saved[0], card]
    }
    let renamed = Frame<Note>("renamed")
    try app.append(renamed)
    renamed.object = note
    renamed.list = [note]
    let saving = restoration(isMigrated: false)
    let archive = saving.archive(of: app)
    // A disconnected object has no store, so it cannot be found again.
    let problems = saving.report.problems
    #expect(problems.count == 2)
    for key in ["object", "list"] {
      #expect(problems.count { $0.hasPrefix("loose: the value \"\(key)\" was not kept") } == 1)
    }
    context.discard()
    try context.delete(saved[1])
    try context.save()
    return archive
  }

  @Test("Deleted, of a renamed entity, of another store, never saved and disconnected")
  func reasons() async throws {
    let archive = try await archive()
    let store = try await SQLiteStore.open(
      at: url, Library.entities + [Memo.self],
      migrations: [Migration(to: 2, "memos") { try $0.renameEntity("Note", to: "Memo") }])
    for isLate in [false, true] {
      let app = Application()
      let catalogue = try MemoryStore(Library.entities, id: "second-catalogue")
      let delivery = isLate ? app.expect(ObjectContext.self) : nil
      if !isLate { app.provide(store.makeContext()) }
      app.provide(catalogue.makeContext(), for: Catalogue.self)
      let restoration = Self.restoration(isMigrated: true)
      app.launch(restoring: restoration, from: archive)
      delivery?.deliver(store.makeContext())
      app.drain()
      #expect(restoration.report.problems == [])
      #expect(restoration.report.count(.restored) == 7)
      let good: Frame<LibraryCard> = try Self.frame(app, "good")
      #expect(good.object?.question == "good" && good.list.count == 2)
      #expect(good.$object.missing == [])
      var reasons: [String] = []
      for (name, part) in [
        ("deleted", "it was deleted"), ("foreign", "another store"), ("unsaved", "never saved"),
      ] {
        let frame: Frame<LibraryCard> = try Self.frame(app, name)
        #expect(frame.object == nil && frame.list.map(\.question) == ["good"])
        #expect(!frame.$object.isWaiting)
        let reason = try #require(frame.$object.missing.first)
        #expect(reason.contains(part))
        #expect(frame.$list.missing == [reason])
        reasons.append(reason)
      }
      let renamed: Frame<Memo> = try Self.frame(app, "renamed")
      #expect(renamed.object == nil && renamed.list == [])
      let reason = try #require(renamed.$object.missing.first)
      #expect(reason.contains("no such entity"))
      #expect(Set(reasons + [reason]).count == 4)
      // The disconnected object was not archived, so it is not missing.
      let loose: Frame<LibraryCard> = try Self.frame(app, "loose")
      #expect(loose.object == nil && loose.list == [])
      #expect(loose.$object.missing == [])

      // Values that are set and archived now are restored by the next launch.
      let context = try app.require(ObjectContext.self)
      let memo = try #require(try context.fetch(FetchRequest<Memo>()).first)
      #expect(memo.text == "a note")
      renamed.object = memo
      renamed.list.append(memo)
      for name in ["deleted", "foreign", "unsaved", "loose"] {
        let frame: Frame<LibraryCard> = try Self.frame(app, name)
        frame.object = good.object
        frame.list.append(try #require(good.object))
      }
      let again = Application()
      again.provide(store.makeContext())
      let next = Self.restoration(isMigrated: true)
      again.launch(restoring: next, from: restoration.archive(of: app))
      #expect(restoration.report.problems == [])
      #expect(next.report.notes == [])
      for name in ["good", "deleted", "foreign", "unsaved", "loose"] {
        let frame: Frame<LibraryCard> = try Self.frame(again, name)
        #expect(frame.object?.question == "good", "\(name)")
        #expect(frame.list.count == (name == "loose" ? 1 : 2), "\(name)")
      }
      #expect(try Self.frame(again, "renamed", Memo.self).object?.text == "a note")
    }
  }
}
