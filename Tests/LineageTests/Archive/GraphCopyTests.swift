import Foundation
import Lineage
import LineageTestSupport
import Testing

@Suite("Copying a graph into another context")
struct GraphCopyTests {
  private let context: ObjectContext
  private let other: ObjectContext

  init() throws {
    context = try MemoryStore(Music.entities).makeContext()
    other = try MemoryStore(Music.entities).makeContext()
    context.onError = { _ in }
    other.onError = { _ in }
  }

  @Test("Kept ids mean the same objects in the other store")
  func kept() throws {
    let album = try Music.album(songs: 4, in: context)
    try context.save()
    let copies = try GraphArchive.copy([album], into: other)
    #expect(copies.notes.isEmpty)
    try other.save()
    let copy = try other.object(with: album.id)
    #expect(copies.objects == [copy])
    #expect(copy.songs.map(\.id) == album.songs.map(\.id))
    #expect(copy.songs[3].next === copy.songs[0])
    #expect(copy.singer?.favourite === copy.songs[0])
  }

  @Test("Renewed ids make a second graph of the same shape, in the same store too")
  func renewed() throws {
    let album = try Music.album(songs: 4, in: context)
    try context.save()
    for target in [context, other] {
      let copies = try GraphArchive.copy([album], into: target, ids: .renewed)
      let copy = try #require(copies.objects.first as? Object<Album>)
      try target.save()
      #expect(copies.notes.isEmpty)
      #expect(copy.id != album.id)
      #expect(copy.songs.map(\.title) == album.songs.map(\.title))
      #expect(Set(copy.songs.map(\.id)).isDisjoint(with: album.songs.map(\.id)))
      #expect(copy.songs[3].next === copy.songs[0])
      #expect(copy.singer?.favourite === copy.songs[0])
      #expect(copy.singer !== album.singer)
    }
    #expect(album.songs.count == 4)
  }

  @Test("Ids that are taken are named, and nothing is inserted")
  func taken() throws {
    let songs = try (0..<5).map { try context.insert(Song(title: "\($0)")) }
    try context.save()
    try GraphArchive.copy(Array(songs.prefix(4)), into: other)
    try other.save()
    #expect {
      try GraphArchive.copy(songs, into: other)
    } throws: { error in
      guard let error = error as? GraphError, case .idTaken(let names) = error.reason else {
        return false
      }
      return names == songs.prefix(3).map(\.reference).joined(separator: ", ") + " and 1 more"
    }
    #expect(!other.hasUnsavedChanges)
    let unsaved = other.makeChild()
    try unsaved.insert(Object(Song(), id: songs[4].id))
    #expect(throws: GraphError.self) { try GraphArchive.copy([songs[4]], into: unsaved) }
  }

  @Test("A reference to what was not copied stays where it is known, and is noted where it is not")
  func lost() throws {
    let song = try context.insert(Song(title: "a"))
    let gone = try context.insert(Song(title: "gone"))
    song.next = gone
    try context.save()
    song.value.next = Ref(key: 77)
    let copies = try GraphArchive.copy([song], into: other)
    let copy = try #require(copies.objects.first as? Object<Song>)
    #expect(copy.value.next == nil)
    #expect(
      copies.notes == [
        .lostReference(object: song.reference, property: "next", target: "Song/77")
      ])
    try other.save()
    song.value.next = song.id
    try other.insert(Object(Album(name: "known"), id: Ref(key: 5)) as GraphObject)
    song.value.album = Ref(key: 5)
    let second = try GraphArchive.copy([song], into: other, ids: .renewed)
    let again = try #require(second.objects.first as? Object<Song>)
    #expect(again.album?.name == "known")
    #expect(again.next === again)
    #expect(second.notes.isEmpty)
  }

  @Test("An archive of one store is imported into another")
  func importing() throws {
    let drawer = try Drawer()
    let album = try Music.album(songs: 6, in: context)
    try GraphArchive.save([album], to: drawer.file())
    guard case .graph(let graph) = try GraphArchive.open(drawer.file(), Music.entities) else {
      Issue.record("not opened")
      return
    }
    for ids in [GraphArchive.IDs.kept, .renewed] {
      let copies = try GraphArchive.copy(everythingIn: graph.draft, into: other, ids: ids)
      #expect(copies.objects.count == 8)
      try other.save()
    }
    #expect(try other.count(Song.self) == 12)
    #expect(try other.find(album.id)?.songs.count == 6)
  }

  @Test("Dates that hooks have set go through an archive, and an import can keep them")
  func dates() throws {
    let drawer = try Drawer()
    let first = Date(timeIntervalSinceReferenceDate: 1)
    let second = Date(timeIntervalSinceReferenceDate: 2)
    let original = try MemoryStore([Dated.self], now: { first }).makeContext()
    let letter = try original.insert(Dated(text: "a"))
    try original.save()
    // Neither the archive nor the copy calls a hook.
    try GraphArchive.save([letter], to: drawer.file())
    guard case .graph(let graph) = try GraphArchive.open(drawer.file(), [Dated.self]) else {
      Issue.record("not opened")
      return
    }
    for (hooks, expected) in [(SaveHooks.off, first), (.on, second)] {
      let store = try MemoryStore([Dated.self], now: { second })
      let target = store.makeContext()
      try GraphArchive.copy(everythingIn: graph.draft, into: target)
      let copy = try target.object(with: letter.id)
      #expect(copy.saved == first && target.hasUnsavedChanges)
      try target.save(hooks: hooks)
      #expect(copy.saved == expected)
      #expect(try store.makeContext().object(with: letter.id).saved == expected)
    }
  }

  @Test("An entity that the target does not have is named")
  func unknownEntity() throws {
    struct Lone: Entity {
      var name = ""
      static let schema = Schema<Lone>("Lone") { Attribute("name", \.name) }
    }
    #expect {
      try GraphArchive.copy([Object(Lone())], into: other)
    } throws: { "\($0)".contains("the store has no entity Lone") }
  }

  @Test("A copy is one step of undo")
  func undo() throws {
    let album = try Music.album(songs: 3, in: context)
    other.recordsUndo = true
    try GraphArchive.copy([album], into: other)
    other.undo()
    #expect(!other.hasUnsavedChanges)
    #expect(!other.canUndo)
  }

  @Test("Kept ids come back where their objects were deleted and saved, and lists follow")
  func afterDeletion() throws {
    let song = try context.insert(Song(title: "a"))
    try context.save()
    let child = other.makeChild()
    let mirrors = try [other, child].map { ListMirror(try LiveList(FetchRequest<Song>(), in: $0)) }
    func expectCounts(_ counts: [Int]) throws {
      #expect(mirrors.map(\.list.count) == counts)
      #expect(try mirrors.compactMap { try $0.complaint() } == [])
    }
    try GraphArchive.copy([song], into: other)
    try other.save()
    let held = try other.object(with: song.id)
    let below = try child.object(with: song.id)
    try other.delete(held)
    try other.save()
    try expectCounts([0, 0])
    try GraphArchive.copy([song], into: other)
    try expectCounts([1, 1])
    try other.save()
    try expectCounts([1, 1])
    #expect(try other.fetch(Song.self).count == 1)
    #expect(try child.fetch(Song.self).count == 1)
    #expect(other.checkInvariants() && child.checkInvariants())
    try other.delete(try other.object(with: song.id))
    try child.merge()
    try expectCounts([0, 0])
    other.discard()
    try expectCounts([1, 1])
    withExtendedLifetime(below) {}
  }
}

private struct Dated: WillSave {
  var text = ""
  var saved: Date?

  mutating func willSave(_ save: SaveMoment<Dated>) { saved = save.date }

  static let schema = Schema<Dated>("Dated") {
    Attribute("text", \.text)
    Attribute("saved", \.saved)
  }
}
