import Foundation
import Lineage
import LineageTestSupport
import Testing

private struct Screen: Codable, Hashable {
  var song: ObjectReference?
  var selection: Set<ObjectReference> = []
  var due: FetchRequest<Song>?
}

@Suite("References to objects in Codable values")
struct ObjectReferenceTests {
  private let store: CountingStore
  private let context: ObjectContext

  init() throws {
    store = CountingStore(try MemoryStore(Music.entities))
    context = store.makeContext()
    context.onError = { _ in }
  }

  @Test("They lead to the same objects after any encoder, in a child too")
  func codable() throws {
    let songs = try Music.album(songs: 3, in: context).songs
    try context.save()
    let screen = Screen(
      song: try ObjectReference(to: songs[0]),
      selection: Set(try songs.map { try ObjectReference(to: $0) }),
      due: FetchRequest(where: { $0.plays < 3 }, sort: { $0.title }))
    let json = try JSONDecoder().decode(Screen.self, from: JSONEncoder().encode(screen))
    let list = try PropertyListDecoder().decode(
      Screen.self, from: PropertyListEncoder().encode(screen))
    #expect(json == screen && list == screen)
    _ = store.take()
    let reference = try #require(json.song)
    #expect(try context.object(at: reference) === songs[0])
    let child = context.makeChild()
    #expect(try child.object(at: reference).context === child)
    #expect(store.take().calls == CountingStore.Calls())
    let found = try json.selection.sorted().map { try context.object(at: $0) as? Object<Song> }
    #expect(found == songs.sorted { $0.id < $1.id })
    let other = store.makeContext()
    // The first read of a moment also asks for others' commits.
    _ = try other.count(Song.self)
    _ = store.take()
    let again = try other.object(at: reference) as? Object<Song>
    #expect(again?.title == songs[0].title)
    #expect(store.take().calls.lookups == 1)
  }

  @Test("A new object is found once it was saved, a deleted one no longer")
  func unsaved() throws {
    let song = try context.insert(Song(title: "new"))
    let reference = try ObjectReference(to: song)
    let deleted = "Song/\(song.key) was deleted"
    #expect(reason { try store.makeContext().object(at: reference) } == deleted)
    try context.save()
    #expect(try store.makeContext().object(at: reference).key == song.key)
    try context.delete(song)
    #expect(reason { try context.object(at: reference) } == deleted)
  }

  @Test("Another store's object and an unknown entity's are errors, and so is a disconnected one")
  func errors() throws {
    let foreign = try #require(ObjectReference("lineage://elsewhere/Song/5"))
    #expect(
      reason { try context.object(at: foreign) }
        == "it belongs to store elsewhere, but this is store \(store.id)")
    let unknown = try #require(ObjectReference("lineage://\(store.id)/Tag/7"))
    #expect(reason { try context.object(at: unknown) } == "the store has no entity Tag")
    let strange = try #require(ObjectReference("lineage://a b\u{0}/Song/5"))
    #expect(throws: GraphError.self) { try context.object(at: strange) }
    let draft = try ObjectContext(draftOf: Music.entities)
    for song in [Object(Song()), try draft.insert(Song())] {
      let refusal = reason { try ObjectReference(to: song) }
      #expect(refusal?.contains("is in no store's context") == true)
    }
  }

  private func reason<Result>(_ body: () throws -> Result) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? GraphError).map { "\($0.reason)" }
    }
  }

  @Test("A text that is no URI is a decoding error")
  func texts() throws {
    for text in ["", "Song/5", "lineage://x/Song/0", "lineage://x/Song/five", "lineage:///Song/5"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(Screen.self, from: Data(#"{"song":"\#(text)"}"#.utf8))
      }
    }
  }

  @Test("References, URIs and rows' identifiers take names in any letters")
  func letters() throws {
    let context = try MemoryStore([Fjäll.self]).makeContext()
    let one = try context.insert(Fjäll(name: "å"))
    try context.save()
    let uri = try context.uri(of: one)
    #expect(try context.object(at: uri) === one)
    let reference = try ObjectReference(to: one)
    #expect(ObjectReference("\(reference)") == reference)
    #expect(try context.object(at: reference) === one)
    #expect(ObjectReference(uri.absoluteString) == reference)
    let list = try LiveList(FetchRequest<Fjäll>(), in: context)
    let name = try #require(list.modelIdentifierForElement(at: [0, 0]))
    #expect(list.indexPathForElement(withModelIdentifier: name) == [0, 0])
  }
}

private struct Fjäll: Entity {
  var name = ""
  static let schema = Schema<Fjäll>("Fjäll") { Attribute("name", \.name) }
}
