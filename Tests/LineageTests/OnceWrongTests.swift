import Foundation
import Lineage
import Synchronization
import TestSupport
import Testing

/// A store whose other users are other processes: their commits are seen by reads at once, but are
/// heard of only when somebody looks for them.
final class ElsewhereStore: ObjectStore {
  let base: MemoryStore
  private struct Pair {
    weak var real: Inbox?
    let collector: Inbox
  }
  private let pairs = Mutex<[Pair]>([])
  let lookFailures = Mutex<Int>(0)

  init(_ entities: [any Entity.Type]) throws { base = try MemoryStore(entities) }

  var id: String { base.id }
  var model: Model { base.model }
  var isShared: Bool { true }
  func makeContext() -> ObjectContext { ObjectContext(store: self) }
  func makeReader() throws -> any StoreReader { try base.makeReader() }
  func commit(_ writes: [Write], from inbox: Inbox?) throws {
    let collector = pairs.withLock { $0.first { $0.real === inbox }?.collector }
    try base.commit(writes, from: collector)
  }
  func subscribe(_ inbox: Inbox) {
    let collector = Inbox()
    pairs.withLock { $0.append(Pair(real: inbox, collector: collector)) }
    base.subscribe(collector)
  }
  func lookForOthers() throws {
    let fails = lookFailures.withLock { count -> Bool in
      defer { count = max(0, count - 1) }
      return count > 0
    }
    if fails { throw GraphError("look", .inputOutput("too many open files")) }
    for pair in pairs.withLock({ $0 }) {
      if !pair.collector.isEmpty { pair.real?.post(pair.collector.take()) }
    }
  }
}

struct Renamed: Entity {
  var points = 0
  var when = Date(timeIntervalSinceReferenceDate: 0)
  var token: Data = Data()
  static let schema = Schema<Renamed>("Renamed") {
    Attribute("points", \.points, indexed: true, formerly: "score")
    Attribute("when", \.when, indexed: true)
    Attribute("token", \.token, indexed: true)
  }
}

private let noteEntities: [any Entity.Type] = [Note.self, Topic.self]

@Suite("What was once wrong with lists and trees of contexts", .hangGuard)
@MainActor
struct OnceWrongTests {
  @Test("A window ordered by id first is in the order of ids")
  func windowOrderedByIDFirst() throws {
    let context = try MemoryStore([Renamed.self]).makeContext()
    for points in [3, 1, 2] { try context.insert(Renamed(points: points)) }
    let request = FetchRequest<Renamed>(sort: {
      $0.id
      $0.points
    })
    let window = try WindowedList(request, in: context)
    #expect(window.map(\.points) == (try context.fetch(request)).map(\.points))
    context.discard()
  }

  @Test("Jumping(toKey:) in the order of ids, and with a value of another kind")
  func jumpingToKeys() throws {
    let context = try MemoryStore([Renamed.self]).makeContext()
    for points in 0..<40 { try context.insert(Renamed(points: points)) }
    try context.save()
    let byID = try WindowedList(FetchRequest<Renamed>(), in: context, capacity: 16)
    #expect(throws: GraphError.self) { _ = try byID.jump(toKey: 5) }
    let window = try WindowedList(
      FetchRequest<Renamed>(sort: { $0.points }), in: context, capacity: 16)
    #expect(throws: GraphError.self) { _ = try window.jump(toKey: "five") }
    #expect(throws: GraphError.self) { _ = try window.jump(toKey: Double.nan) }
    try window.jump(toKey: 17.5)
    #expect(!window.state.isStale)
  }

  @Test("Leave saves what is unsaved in the controller's branch under another key")
  func leavingSavesBranchesOfAnyKey() throws {
    enum Catalogue: ContextKey { typealias Value = ObjectContext }
    let context = try MemoryStore(noteEntities).makeContext()
    let application = Application()
    application.provide(context, for: Catalogue.self)
    let editor = Controller()
    editor.branch(Catalogue.self)
    try application.append(editor)
    do {
      let draft = try editor.require(Catalogue.self)
      draft.onFault = { print("FAULT u3", $0) }
      try draft.insert(Note("typed"))
    }
    try editor.leave(.save)
    #expect(try context.values(Note.self).map(\.text) == ["typed"])
    context.discard()
  }

  @Test("Leave(.save) of a drifting branch reaches the store it came from")
  func leavingADriftingBranchSavesAllTheWay() throws {
    let (ada, bob) = (try cards("ada's"), try cards("bob's"))
    let application = Application()
    do {
      let first = ada.makeContext()
      first.onFault = { print("FAULT", $0) }
      application.provide(first)
    }
    let editor = Controller()
    editor.branch(ObjectContext.self)
    try application.append(editor)
    do {
      let edited = try editor.require(ObjectContext.self)
      try #require(try edited.fetch(TestSupport.Card.self).first).question = "half typed"
    }
    application.provide(bob.makeContext())
    try editor.leave(.save)
    #expect(try ada.makeContext().values(TestSupport.Card.self).map(\.question) == ["half typed"])
  }

  @Test("A controller that was handed the same root leaves; the application still hears")
  func aControllerThatWasHanded() throws {
    let store = try MemoryStore(noteEntities)
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    let controller = Controller()
    try application.append(controller)
    controller.provide(context)
    application.drain()
    controller.removeFromParent()
    let other = store.makeContext()
    try other.insert(Note("new"))
    try other.save()
    let list = try LiveList(FetchRequest<Note>(where: { $0.text == "new" }), in: context)
    _ = list.count
    let note = try #require(try other.fetch(Note.self).first)
    note.text = "newer"
    try other.save()
    application.drain()
    #expect(list.count == 0)
  }

  @Test("Withdrawn under a second key, it still hears")
  func withdrawnUnderASecondKey() throws {
    enum Catalogue: ContextKey { typealias Value = ObjectContext }
    let store = try MemoryStore(noteEntities)
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    application.provide(context, for: Catalogue.self)
    application.drain()
    try application.withdraw(Catalogue.self)
    let list = try LiveList(FetchRequest<Note>(), in: context)
    let other = store.makeContext()
    try other.insert(Note("new"))
    try other.save()
    application.drain()
    #expect(list.count == 1)
  }

  @Test("A child handed by hand leaves; the root still hears")
  func aChildHandedByHand() throws {
    let store = try MemoryStore(noteEntities)
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    let controller = Controller()
    try application.append(controller)
    controller.provide(context.makeChild())
    application.drain()
    controller.removeFromParent()
    let list = try LiveList(FetchRequest<Note>(), in: context)
    let other = store.makeContext()
    try other.insert(Note("new"))
    try other.save()
    application.drain()
    #expect(list.count == 1)
  }

  @Test("A second tree with the same root ends; the first still hears")
  func aSecondTreeWithThe() throws {
    let store = try MemoryStore(noteEntities)
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    var second: Application? = Application()
    second?.provide(context)
    second = nil
    _ = second
    application.drain()
    let list = try LiveList(FetchRequest<Note>(), in: context)
    let other = store.makeContext()
    try other.insert(Note("new"))
    try other.save()
    application.drain()
    #expect(list.count == 1)
  }

  @Test("A list made between another process's commit and its news is right after the merge")
  func aListMadeBetweenAnother() throws {
    let store = try ElsewhereStore(noteEntities)
    let context = store.makeContext()
    context.onFault = { _ in }
    var notes: [Object<Note>] = []
    for weight in [2, 3, 100, 5, 6, 50] {
      notes.append(try context.insert(Note("n", weight: weight)))
    }
    try context.save()
    let elsewhere = store.base.makeContext()
    try elsewhere.object(with: notes[2].id).weight = 4
    try elsewhere.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.weight }), in: context)
    notes[5].weight = 7
    try context.merge()
    #expect(list.map(\.weight) == [2, 3, 4, 5, 6, 7])
    #expect(list.map(\.id) == (try context.fetch(list.request)).map(\.id))
    context.discard()
  }

  @Test("A row that could not be read in a merge is read by the next")
  func aRowThatCouldNot() throws {
    let store = TestSupport.CountingStore(try MemoryStore(noteEntities))
    let context = store.makeContext()
    let note = try context.insert(Note("old"))
    try context.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    let other = store.makeContext()
    try other.object(with: note.id).text = "new"
    try other.save()
    store.fail(with: GraphError("read", .inputOutput("disk")))
    #expect(throws: GraphError.self) { try context.merge() }
    let staleThen = list.state.isStale
    store.fail(with: nil)
    try context.merge()
    #expect(note.text == "new", "list was stale: \(staleThen), is stale \(list.state.isStale)")
    #expect(list.map(\.text) == ["new"])
  }

  @Test("A save within read is seen by the reads after it")
  func aSaveWithinReadIs() throws {
    let context = try MemoryStore(noteEntities).makeContext()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }, limit: 5), in: context)
    let plain = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    try context.read {
      _ = try context.fetch(Note.self)
      try context.insert(Note("a"))
      try context.save()
      #expect(try context.fetch(Note.self).count == 1)
      let note = try context.insert(Note("b"))
      try context.save()
      _ = note
    }
    #expect(plain.map(\.text) == ["a", "b"])
    #expect(list.map(\.text) == ["a", "b"])
    #expect(!list.state.isStale)
  }

  @Test("A merge within read loses no news")
  func aMergeWithinReadLoses() throws {
    let store = try MemoryStore(noteEntities)
    let context = store.makeContext()
    let note = try context.insert(Note("old"))
    try context.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    let other = store.makeContext()
    try context.read {
      _ = try context.fetch(Note.self)
      try other.object(with: note.id).text = "new"
      try other.insert(Note("z"))
      try other.save()
      try context.merge()
    }
    try context.merge()
    #expect(note.text == "new")
    #expect(list.map(\.text) == ["new", "z"])
  }

  @Test("Delete and save within read: no ghost afterwards")
  func deleteAndSaveWithinRead() throws {
    let context = try MemoryStore(noteEntities).makeContext()
    let id = try context.insert(Note("a")).id
    try context.save()
    try context.read {
      do {
        let notes = try context.fetch(Note.self)
        try context.delete(notes[0])
        try context.save()
      }
      #expect(try context.find(id) == nil)
      #expect(try context.fetch(Note.self).isEmpty)
    }
  }

  private func cards(_ question: String) throws -> MemoryStore {
    let store = try MemoryStore(Library.entities)
    let context = store.makeContext()
    try context.insert(TestSupport.Card(question))
    try context.save()
    return store
  }

  @Test("Progress of a replaced opening is not shown as the new one's")
  func progressOfAReplacedOpening() async throws {
    let (ada, bob) = (try cards("ada's"), try cards("bob's"))
    let application = Application()
    let gate = Gate()
    let tell = Mutex<(@Sendable (OpeningProgress) -> Void)?>(nil)
    let isIn = Gate()
    application.openStore(at: URL(filePath: "/ada")) { progress in
      tell.withLock { $0 = progress }
      await isIn.open()
      await gate.pass()
      return ada.makeContext()
    }
    await isIn.pass()
    let never = Gate()
    application.openStore(at: URL(filePath: "/bob")) { progress in
      await never.pass()
      return bob.makeContext()
    }
    // The first opening has not noticed yet that nobody wants it.
    tell.withLock { $0 }?(fakeProgress(step: "ada's step", number: 2, count: 3))
    application.drain()
    let opening = try application.require(StoreOpening.self)
    #expect(opening.url.path == "/bob" && opening.phase == .waiting)
    await never.open()
    await gate.open()
    _ = try await application.context(whenReady: ObjectContext.self)
  }

  @Test("RetryOpening when nothing failed leaves the root context alone")
  func retryopeningWhenNothingFailedLeaves() async throws {
    let ada = try cards("ada's")
    let application = Application()
    application.openStore(at: URL(filePath: "/ada")) { _ in ada.makeContext() }
    let context = try await application.context(whenReady: ObjectContext.self)
    context.onFault = { _ in }
    try context.insert(TestSupport.Card("unsaved"))
    _ = application.send(RetryOpening())
    #expect(application.context(ObjectContext.self) === context)
    let again = try await application.context(whenReady: ObjectContext.self)
    #expect(again === context && again.hasUnsavedChanges)
    context.discard()
  }

  @Test("Logged out, the store's opening is not ready")
  func loggedOutTheStoreS() async throws {
    let ada = try cards("ada's")
    let application = Application()
    application.openStore(at: URL(filePath: "/ada")) { _ in ada.makeContext() }
    _ = try await application.context(whenReady: ObjectContext.self)
    application.block(ObjectContext.self)
    #expect(application.context(StoreOpening.self)?.phase != .ready)
    _ = application.expect(ObjectContext.self)
    #expect(application.context(StoreOpening.self)?.phase != .ready)
  }

  @Test("A withdrawn opening does not go on being shown")
  func aWithdrawnOpeningDoesNot() async throws {
    let ada = try cards("ada's")
    let application = Application()
    let gate = Gate()
    let started = Gate()
    application.openStore(at: URL(filePath: "/ada")) { progress in
      progress(fakeProgress(step: "one", number: 1, count: 3))
      await started.open()
      await gate.pass()
      return ada.makeContext()
    }
    await started.pass()
    application.drain()
    try application.withdraw(ObjectContext.self)
    application.drain()
    print("t8b phase", application.context(StoreOpening.self)?.phase as Any)
    await gate.open()
  }

  @Test("A window by a property's former name")
  func aWindowByAProperty() throws {
    let context = try MemoryStore([Renamed.self]).makeContext()
    let json = #"{"entity":"Renamed","order":[{"property":"score"}]}"#
    var request = FetchRequest<Renamed>(sort: { $0.points })
    let encoded = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    print("t9a", encoded, json)
    request = try JSONDecoder().decode(
      FetchRequest<Renamed>.self,
      from: Data(encoded.replacingOccurrences(of: "points", with: "score").utf8))
    _ = try LiveList(request, in: context)
    _ = try WindowedList(request, in: context)
  }

  @Test("Windows by dates and data")
  func windowsByDatesAndData() throws {
    let context = try MemoryStore([Renamed.self]).makeContext()
    for points in 0..<40 {
      try context.insert(
        Renamed(
          points: points, when: Date(timeIntervalSinceReferenceDate: Double(points % 7) - 3),
          token: Data([UInt8(points % 5)])))
    }
    try context.insert(Renamed(when: .distantPast))
    try context.insert(Renamed(when: .distantFuture, token: Data()))
    try context.save()
    for request in [
      FetchRequest<Renamed>(sort: { $0.when }),
      FetchRequest<Renamed>(sort: { $0.token.descending }),
    ] {
      let window = try WindowedList(request, in: context, capacity: 16)
      var seen = window.map(\.id)
      while window.hasLater {
        let count = try window.loadLater()
        seen += window.suffix(count).map(\.id)
      }
      #expect(seen == (try context.fetch(window.request)).map(\.id))
      while window.hasEarlier { try window.loadEarlier() }
      #expect(window.first?.id == seen.first)
    }
  }

  @Test("A fetch that fails does not make a list forget that its rows cannot be relied upon")
  func aFetchThatFailsDoes() throws {
    let base = try MemoryStore(noteEntities)
    let store = CursorFailStore(base)
    let context = ObjectContext(store: store)
    context.onFault = { _ in }
    var notes: [Object<Note>] = []
    for weight in [2, 3, 100, 5, 6, 50] {
      notes.append(try context.insert(Note("n", weight: weight)))
    }
    try context.save()
    let other = base.makeContext()
    try other.object(with: notes[2].id).weight = 4
    try other.save()
    // Made before the merge: the store's order is ahead of the objects.
    let list = try LiveList(FetchRequest<Note>(sort: { $0.weight }), in: context)
    try other.insert(Note("z", weight: 1000))
    try other.save()
    store.fails.withLock { $0 = true }
    try context.merge()
    #expect(list.state.isStale)
    store.fails.withLock { $0 = false }
    notes[5].weight = 7
    #expect(!list.state.isStale)
    #expect(list.map(\.weight) == (try context.fetch(list.request)).map(\.weight))
    context.discard()
  }

  @Test("Many rows inserted at once, side by side, among many")
  func manyRowsInsertedAtOnce() throws {
    let context = try MemoryStore(noteEntities).makeContext()
    try context.group { for number in 0..<200 { try context.insert(Note("n", weight: number)) } }
    try context.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.weight }), in: context)
    let mirror = ListMirror(list)
    try context.group { for _ in 0..<70 { try context.insert(Note("n", weight: 100)) } }
    #expect(list.map(\.weight) == list.map(\.weight).sorted())
    #expect(try mirror.complaint() == nil)
    context.discard()
  }

  @Test("A window of 400 rows scrolls up")
  func aWindowOfRowsScrolls() throws {
    let context = try MemoryStore(noteEntities).makeContext()
    try context.group { for number in 0..<2_000 { try context.insert(Note("n", weight: number)) } }
    try context.save()
    let window = try WindowedList(
      FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 400)
    try window.jump(toKey: 1_000)
    try window.loadEarlier()
    #expect(window.map(\.weight) == window.map(\.weight).sorted())
  }

  @Test("What a list's observer edits after a save can be undone")
  func whatAListSObserver() throws {
    let context = try MemoryStore(noteEntities).makeContext()
    context.recordsUndo = true
    let child = context.makeChild()
    child.recordsUndo = true
    let list = try LiveList(FetchRequest<Note>(), in: context)
    let token = list.observe { list, _ in
      if list.count == 1 { _ = try? child.insert(Note("draft of the next")) }
    }
    try child.insert(Note("a"))
    try child.save()
    #expect(child.hasUnsavedChanges && child.canUndo)
    child.undo()
    #expect(!child.hasUnsavedChanges)
    token.cancel()
    child.discard()
    context.discard()
  }

  @Test("A screen that retries in its callback")
  func aScreenThatRetriesIn() async throws {
    let ada = try cards("ada's")
    let application = Application()
    let attempts = Mutex(0)
    let screen = Controller()
    try application.append(screen)
    var phases: [String] = []
    let shown = screen.observe(StoreOpening.self) { _, opening in
      phases.append(opening.value.map { "\($0.phase)".prefix(7).description } ?? "-")
    }
    var heard: [String] = []
    let token = screen.observe(ObjectContext.self) { screen, resolution in
      heard.append("\(resolution)".prefix(7).description)
      if case .failed = resolution { screen.send(RetryOpening()) }
    }
    application.openStore(at: URL(filePath: "/ada")) { _ in
      let attempt = attempts.withLock { count -> Int in
        count += 1
        return count
      }
      if attempt < 3 { throw Mishap("no disk") }
      return ada.makeContext()
    }
    var ready = false
    for _ in 0..<10 where !ready {
      do {
        _ = try await screen.context(whenReady: ObjectContext.self)
        ready = true
      } catch {}
    }
    print("u11", phases, heard)
    #expect(ready && application.context(StoreOpening.self)?.phase == .ready)
    #expect(attempts.withLock { $0 } == 3)
    token.end()
    shown.end()
  }

  @Test("Lists in a tree while a large import renames what sections are named by")
  func listsInATreeWhile() throws {
    let store = try MemoryStore(noteEntities)
    let other = store.makeContext()
    let topics = try (0..<3).map { try other.insert(Topic("t\($0)")) }
    for number in 0..<600 {
      try other.insert(Note("n\(number)", weight: number, topic: topics[number % 3].id))
    }
    try other.save()
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    application.drain()
    let list = try LiveList(
      FetchRequest<Note>(sort: { $0.weight }), in: context, sections: { $0.topic.name })
    let mirror = ListMirror(list)
    for (number, note) in try other.fetch(Note.self).enumerated() where number % 2 == 0 {
      note.weight = -note.weight
    }
    topics[0].name = "z"
    try other.save()
    // The first slice has 200 notes; the topic's row comes in the last.
    _ = application.mailbox.count
    application.drain()
    #expect(try mirror.complaint() == nil)
  }

  @Test("Two disconnected objects whose entities have the same name")
  func twoDisconnectedObjectsWhoseEntities() async throws {
    await #expect(processExitsWith: .success) {
      let url = FileManager.default.temporaryDirectory.appending(path: "two-\(UUID())")
      do {
        try GraphArchive.save(
          [Object(Card(question: "a")), Object(TestSupport.Card("b"))], to: url)
      } catch { print("t12", error) }
    }
  }

  @Test("Object references and model identifiers of entities with unusual letters")
  func objectReferencesAndModelIdentifiers() throws {
    let context = try MemoryStore([Fjäll.self]).makeContext()
    let one = try context.insert(Fjäll(name: "å"))
    try context.save()
    let uri = try context.uri(of: one)
    #expect(try context.object(at: uri) === one)
    let reference = try ObjectReference(to: one)
    #expect(ObjectReference("\(reference)") == reference)
    #expect(try context.object(at: #require(URL(string: "\(reference)"))) === one)
    #expect(ObjectReference(uri.absoluteString) == reference)
    let list = try LiveList(FetchRequest<Fjäll>(), in: context)
    let name = try #require(list.modelIdentifierForElement(at: [0, 0]))
    #expect(list.indexPathForElement(withModelIdentifier: name) == [0, 0])
  }

  @Test("Copy kept into a context where the objects were deleted and saved")
  func copyKeptIntoAContext() throws {
    let source = try MemoryStore(noteEntities).makeContext()
    let note = try source.insert(Note("a"))
    try source.save()
    let context = try MemoryStore(noteEntities).makeContext()
    let child = context.makeChild()
    let lists = try [context, child].map { try LiveList(FetchRequest<Note>(), in: $0) }
    let mirrors = lists.map(ListMirror.init)
    try GraphArchive.copy([note], into: context)
    try context.save()
    let held = try context.object(with: note.id)
    let below = try child.object(with: note.id)
    try context.delete(held)
    try context.save()
    #expect(mirrors.map { $0.list.count } == [0, 0])
    try GraphArchive.copy([note], into: context)
    #expect(mirrors.map { $0.list.count } == [1, 1])
    try context.save()
    #expect(try mirrors.compactMap { try $0.complaint() } == [])
    #expect(try context.fetch(Note.self).count == 1)
    #expect(try child.fetch(Note.self).count == 1)
    _ = below
    #expect(context.checkInvariants() && child.checkInvariants())
    try context.delete(try context.object(with: note.id))
    try child.merge()
    #expect(mirrors.map { $0.list.count } == [0, 0])
    context.discard()
    #expect(mirrors.map { $0.list.count } == [1, 1])
    #expect(try mirrors.compactMap { try $0.complaint() } == [])
  }

  @Test("Archive round trip through nested drafts keeps everything; lists in drafts follow")
  func archiveRoundTripThroughNested() throws {
    let drawer = try Drawer()
    let draft = try ObjectContext(draftOf: Music.entities)
    let album = try Music.album(songs: 3, in: draft)
    let child = draft.makeChild()
    let list = try LiveList(FetchRequest<Song>(sort: { $0.title }), in: child)
    let mirror = ListMirror(list)
    let inner = try child.object(with: album.id)
    inner.name = "edited"
    let song = try child.insert(Song(title: "new", album: inner.id))
    try GraphArchive.save([inner], to: drawer.file())
    try GraphArchive.save(everythingIn: child, to: drawer.file("all"))
    for name in ["graph", "all"] {
      guard case .graph(let graph) = try GraphArchive.open(drawer.file(name), Music.entities) else {
        Issue.record("\(name)")
        continue
      }
      #expect(graph.notes.isEmpty)
      #expect(try graph.draft.values(Album.self).map(\.name) == ["edited"])
      #expect(try graph.draft.count(Song.self) == 4)
      let window = try WindowedList(FetchRequest<Song>(), in: graph.draft, capacity: 8)
      #expect(try window.total() == 4)
    }
    try child.save()
    #expect(album.name == "edited" && album.songs.count == 4)
    try child.delete(song)
    #expect(try mirror.complaint() == nil)
    child.discard()
    #expect(try mirror.complaint() == nil)
    try child.delete(inner)
    #expect(list.isEmpty)
    try child.save()
    #expect(try draft.count(Song.self) == 0)
    #expect(try mirror.complaint() == nil)
  }

  @Test("Save in a list's callback, of each level")
  func saveInAListS() throws {
    let store = try MemoryStore(noteEntities)
    let root = store.makeContext()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    let contexts = [root, child, grandchild]
    let lists = try contexts.map { try LiveList(FetchRequest<Note>(sort: { $0.text }), in: $0) }
    let mirrors = lists.map(ListMirror.init)
    let limited = try contexts.map {
      ListMirror(try LiveList(FetchRequest<Note>(sort: { $0.text }, limit: 3, offset: 1), in: $0))
    }
    let tokens = zip(contexts, lists).map { context, list in
      list.observe { _, _ in
        do { try context.save() } catch { Issue.record("\(error)") }
      }
    }
    for text in "fbadce" {
      try grandchild.insert(Note(String(text)))
      #expect(try (mirrors + limited).compactMap { try $0.complaint() } == [])
      #expect(try store.makeContext().count(Note.self) == lists[0].count)
    }
    for note in lists[2] where note.text > "b" { try grandchild.delete(note) }
    #expect(try (mirrors + limited).compactMap { try $0.complaint() } == [])
    #expect(try store.makeContext().values(Note.self).map(\.text).sorted() == ["a", "b"])
    tokens.forEach { $0.cancel() }
  }

  @Test("Branching in a list's callback, and making lists there")
  func branchingInAListS() throws {
    let store = try MemoryStore(noteEntities)
    let application = Application()
    let root = store.makeContext()
    application.provide(root)
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: root)
    var made: [ListMirror<Note>] = []
    let token = list.observe { _, _ in
      let controller = Controller()
      controller.branch(ObjectContext.self)
      try? application.append(controller)
      guard let context = controller.context(ObjectContext.self),
        let list = try? LiveList(FetchRequest<Note>(sort: { $0.text }, limit: 4), in: context)
      else { return }
      made.append(ListMirror(list))
      if made.count < 5 {
        _ = try? context.insert(Note("made \(made.count)"))
        try? context.save()
      }
    }
    try root.insert(Note("x"))
    for mirror in made { #expect(try mirror.complaint() == nil) }
    #expect(made.count >= 5)
    token.cancel()
    root.discard()
  }
}

struct Fjäll: Entity {
  var name = ""
  static let schema = Schema<Fjäll>("Fjäll") { Attribute("name", \.name) }
}

private struct FakeProgress {
  let step: String
  let number: Int
  let count: Int
}

/// What a migration of a store tells; its initialiser is internal.
private func fakeProgress(step: String, number: Int, count: Int) -> OpeningProgress {
  unsafeBitCast(FakeProgress(step: step, number: number, count: count), to: OpeningProgress.self)
}

/// A store whose queries fail when told; single rows can still be read.
final class CursorFailStore: ObjectStore {
  let base: MemoryStore
  let fails = Mutex(false)
  init(_ base: MemoryStore) { self.base = base }
  var id: String { base.id }
  var model: Model { base.model }
  func makeReader() throws -> any StoreReader { Reader(try base.makeReader(), self) }
  func commit(_ writes: [Write], from inbox: Inbox?) throws {
    try base.commit(writes, from: inbox)
  }
  func subscribe(_ inbox: Inbox) { base.subscribe(inbox) }
  func lookForOthers() throws {}

  private final class Reader: StoreReader {
    let base: any StoreReader
    let store: CursorFailStore
    init(_ base: any StoreReader, _ store: CursorFailStore) {
      (self.base, self.store) = (base, store)
    }
    func cursor(_ query: Query) throws -> any RowCursor {
      if store.fails.withLock({ $0 }) { throw GraphError("read", .inputOutput("disk")) }
      return try base.cursor(query)
    }
    func row(_ id: Int64, of entity: Int, into cells: UnsafeMutablePointer<Cell>) throws -> Bool {
      try base.row(id, of: entity, into: cells)
    }
    func aggregate(_ aggregate: Aggregate, of query: Query) throws -> Stored {
      try base.aggregate(aggregate, of: query)
    }
    func end() { base.end() }
  }
}
