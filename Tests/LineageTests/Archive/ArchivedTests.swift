import Foundation
import Lineage
import LineageTestSupport
import Testing

private struct Screen: Codable {
  @Archived var song: Object<Song>?
  @Archived var selection: Set<Object<Song>>
  @Archived var columns: [String: [Object<Album>]]
  @Archived var anything: [GraphObject]
  var due: FetchRequest<Song>?
  var caption = ""
}

@Suite("Objects in Codable values")
struct ArchivedTests {
  private let store: CountingStore
  private let context: ObjectContext

  init() throws {
    store = CountingStore(try MemoryStore(Music.entities))
    context = store.makeContext()
    context.onError = { _ in }
  }

  private func screen() throws -> Screen {
    let album = try Music.album(songs: 30, in: context)
    let songs = album.songs
    try context.save()
    return Screen(
      song: songs.first, selection: Set(songs.prefix(20)), columns: ["left": [album], "right": []],
      anything: [album] + Array(songs.suffix(5)),
      due: FetchRequest(where: { $0.plays < 3 }, sort: { $0.title }), caption: "Songs")
  }

  /// Returns the numbers of queries and of reads by id since the last call.
  private func takeReads() -> (queries: Int, lookups: Int) {
    let calls = store.take().calls
    return (calls.queries, calls.lookups)
  }

  private func decoder(_ context: ObjectContext) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.objectContext = context
    return decoder
  }

  @Test("All objects of a value come back by one fetch an entity, at the first look")
  func batches() throws {
    let screen = try screen()
    let data = try JSONEncoder().encode(screen)
    let other = store.makeContext()
    _ = store.take()
    let decoder = decoder(other)
    let again = try decoder.decode(Screen.self, from: data)
    #expect(takeReads() == (0, 0))
    #expect(again.song?.title == screen.song?.title)
    #expect(takeReads() == (2, 0))
    #expect(again.selection.map(\.id).sorted() == screen.selection.map(\.id).sorted())
    #expect(again.columns.mapValues { $0.map(\.id) } == screen.columns.mapValues { $0.map(\.id) })
    #expect(again.anything.map(\.key) == screen.anything.map(\.key))
    #expect(again.song.map(again.selection.contains) == true)
    #expect(again.due == screen.due)
    #expect(again.$song.missing.isEmpty && again.$anything.missing.isEmpty)
    #expect(takeReads() == (0, 0))
  }

  @Test("Several values decoded with one decoder are fetched together, by 500 objects a fetch")
  func severalValues() throws {
    struct Row: Codable { @Archived var song: Object<Song>? }
    let songs = try (0..<1200).map { try context.insert(Song(title: "\($0)")) }
    try context.save()
    let rows = try songs.map { try JSONEncoder().encode(Row(song: $0)) }
    let decoder = decoder(store.makeContext())
    let decoded = try rows.map { try decoder.decode(Row.self, from: $0) }
    _ = store.take()
    #expect(decoded.map { $0.song?.title } == songs.map(\.title))
    #expect(takeReads() == (3, 0))
  }

  @Test("What the context has already costs nothing, and is the same object, also in a child")
  func known() throws {
    let screen = try screen()
    let data = try JSONEncoder().encode(screen)
    _ = store.take()
    let same = try decoder(context).decode(Screen.self, from: data)
    #expect(same.song === screen.song)
    let child = context.makeChild()
    let copy = try decoder(child).decode(Screen.self, from: data)
    #expect(copy.song?.context === child)
    #expect(copy.song?.id == screen.song?.id)
    #expect(takeReads() == (0, 0))
  }

  @Test("Property lists hold objects too")
  func propertyLists() throws {
    let screen = try screen()
    let data = try PropertyListEncoder().encode(screen)
    let decoder = PropertyListDecoder()
    decoder.objectContext = context
    let again = try decoder.decode(Screen.self, from: data)
    #expect(again.selection == screen.selection)
    #expect(decoder.objectContext === context)
  }

  @Test("A reference is a URI that the context finds")
  func uri() throws {
    let song = try context.insert(Song())
    let data = try JSONEncoder().encode([Archived(wrappedValue: Optional(song))])
    let texts = try JSONDecoder().decode([String].self, from: data)
    #expect(texts == [try context.uri(of: song).absoluteString])
    let url = try #require(URL(string: texts[0]))
    #expect(try context.object(at: url) === song)
  }

  @Test("A new object can be archived, and is found once it was saved")
  func unsaved() throws {
    struct Row: Codable { @Archived var song: Object<Song>? }
    let song = try context.insert(Song(title: "new"))
    let data = try JSONEncoder().encode(Row(song: song))
    let before = try decoder(store.makeContext()).decode(Row.self, from: data)
    #expect(before.song == nil)
    guard case .deleted? = before.$song.missing.first?.reason else {
      Issue.record("\(before.$song.missing)")
      return
    }
    try context.save()
    let after = try decoder(store.makeContext()).decode(Row.self, from: data)
    #expect(after.song?.title == "new")
  }

  @Test("A disconnected object cannot be archived, and the error says so")
  func disconnected() throws {
    struct Row: Codable { @Archived var songs: [Object<Song>] }
    let draft = try ObjectContext(draftOf: Music.entities)
    for song in [Object(Song()), try draft.insert(Song())] {
      #expect {
        try JSONEncoder().encode(["row": Row(songs: [song])])
      } throws: { error in
        guard case EncodingError.invalidValue(_, let context) = error else { return false }
        return context.codingPath.map(\.stringValue) == ["row", "songs"]
          && context.debugDescription.contains("is in no store's context")
          && context.underlyingError is GraphError
      }
    }
  }

  @Test("What is missing is left out, each with its reason, and is written again unless set")
  func missing() throws {
    struct Row: Codable {
      @Archived var songs: [Object<Song>]
      @Archived var album: Object<Album>?
    }
    let songs = try (0..<3).map { try context.insert(Song(title: "\($0)")) }
    try context.save()
    try context.delete(songs[1])
    try context.save()
    let id = store.id
    let foreign = "lineage://elsewhere/Song/5"
    let texts = [
      "lineage://\(id)/Song/\(songs[0].key)", "lineage://\(id)/Song/\(songs[1].key)", foreign,
      "lineage://\(id)/Tag/7", "lineage://\(id)/Song/\(songs[2].key)",
    ]
    let json = try JSONEncoder().encode(["songs": texts])
    let other = store.makeContext()
    var row = try decoder(other).decode(Row.self, from: json)
    #expect(row.songs.map(\.title) == ["0", "2"])
    #expect(row.album == nil)
    #expect(
      row.$songs.missing.map { "\($0.reason)" } == [
        "it was deleted, or never saved", "it is another store's; this is \(id)",
        "the store has no such entity",
      ])
    struct Plain: Codable { var songs: [String] }
    let kept = try JSONDecoder().decode(Plain.self, from: JSONEncoder().encode(row))
    #expect(kept.songs == texts)
    row.songs = Array(row.songs.dropFirst())
    #expect(row.$songs.missing.isEmpty)
    let set = try JSONDecoder().decode(Plain.self, from: JSONEncoder().encode(row))
    #expect(set.songs == [texts[4]])
    withExtendedLifetime(other) {}
  }

  @Test("An object of another entity than the property is missing, not mistaken")
  func otherEntity() throws {
    struct Row: Codable { @Archived var song: Object<Song>? }
    let album = try context.insert(Album(name: "Sums"))
    let json = Data(#"{"song":"\#(try context.uri(of: album))"}"#.utf8)
    let row = try decoder(context).decode(Row.self, from: json)
    #expect(row.song == nil)
    let reasons = row.$song.missing.map { "\($0.reason)" }
    #expect(reasons == ["it is of another entity than the property"])
  }

  @Test("A store that cannot be read is a reason, and no trap")
  func unreadable() throws {
    let screen = try screen()
    let data = try JSONEncoder().encode(screen)
    let again = try decoder(store.makeContext()).decode(Screen.self, from: data)
    store.fail(with: GraphError("read", .closed))
    #expect(again.song == nil)
    #expect(again.selection.isEmpty)
    #expect(again.$selection.missing.count == 20)
    #expect("\(again.$song.missing)".contains("the store is closed"))
  }

  @Test("A text that is no URI, and a decoder without a context, are decoding errors")
  func errors() throws {
    struct Row: Codable { @Archived var song: Object<Song>? }
    for text in ["", "Song/5", "lineage://x/Song/0", "lineage://x/Song/five", "lineage:///Song/5"] {
      #expect(throws: DecodingError.self) {
        try decoder(context).decode(Row.self, from: Data(#"{"song":"\#(text)"}"#.utf8))
      }
    }
    let json = Data(#"{"song":"lineage://x/Song/5"}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Row.self, from: json) }
  }

  @Test("A property that an older archive lacks holds no object")
  func older() throws {
    let screen = try decoder(context).decode(Screen.self, from: Data(#"{"caption":"old"}"#.utf8))
    #expect(screen.song == nil && screen.selection.isEmpty && screen.anything.isEmpty)
    #expect(screen.caption == "old")
  }

  @Test("What nobody looks at and is thrown away is never fetched")
  func thrownAway() throws {
    let data = try JSONEncoder().encode(try screen())
    let decoder = decoder(store.makeContext())
    _ = try decoder.decode(Screen.self, from: data)
    struct Row: Codable { @Archived var song: Object<Song>? }
    let row = try decoder.decode(Row.self, from: Data(#"{"song":null}"#.utf8))
    _ = store.take()
    #expect(row.song == nil)
    #expect(takeReads() == (0, 0))
  }

  @Test("The same set gives the same bytes")
  func deterministic() throws {
    let screen = try screen()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let shuffled = Set(Array(screen.selection).shuffled())
    var other = screen
    other.selection = shuffled
    #expect(try encoder.encode(other) == encoder.encode(screen))
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
    #expect(try context.object(at: #require(URL(string: "\(reference)"))) === one)
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
