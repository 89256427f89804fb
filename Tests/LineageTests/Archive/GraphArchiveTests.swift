import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

@Suite("A graph in a file")
struct GraphArchiveTests {
  private let drawer: Drawer
  private let context: ObjectContext

  init() throws {
    drawer = try Drawer()
    context = try MemoryStore(Music.entities).makeContext()
    context.onError = { _ in }
  }

  private func reopen(_ url: URL) throws -> GraphArchive.Graph {
    guard case .graph(let graph) = try GraphArchive.open(url, Music.entities) else {
      throw GraphError("open \(url)", .damaged("\(try GraphArchive.open(url, Music.entities))"))
    }
    return graph
  }

  @Test("There is none at first")
  func none() throws {
    for url in [drawer.file(), drawer.file("nowhere/graph")] {
      guard case .none = try GraphArchive.open(url, Music.entities) else {
        Issue.record("something opened")
        return
      }
    }
  }

  @Test("An album comes back with its songs, in their ring, and its singer")
  func graph() throws {
    let album = try Music.album(songs: 5, in: context)
    let songs = album.songs
    try GraphArchive.save([songs[2], album], to: drawer.file())
    let graph = try reopen(drawer.file())
    #expect(graph.notes.isEmpty)
    #expect(graph.roots.map(\.reference) == [songs[2].reference, album.reference])
    let again = try #require(graph.roots[1] as? Object<Album>)
    #expect(again.songs.map(\.id) == songs.map(\.id))
    #expect(again.songs.map(\.title) == songs.map(\.title))
    #expect(again.songs[4].next === again.songs[0])
    #expect(again.singer?.favourite === again.songs[0])
    #expect(again.songs.allSatisfy { $0.album === again })
    #expect(graph.roots[0] === again.songs[2])
    #expect(try drawer.names == ["graph"])
  }

  @Test("A song comes with its album, but without the album's other songs")
  func reach() throws {
    let songs = try (0..<3).map { try context.insert(Song(title: "\($0)")) }
    let album = try context.insert(Album(name: "Sums"))
    for song in songs { song.album = album }
    try GraphArchive.save([songs[0]], to: drawer.file())
    #expect(try reopen(drawer.file()).draft.fetch(Song.self).map(\.id) == [songs[0].id])
    #expect(try reopen(drawer.file()).draft.fetch(Album.self).map(\.id) == [album.id])
    try GraphArchive.save([album], to: drawer.file(), with: .references)
    #expect(try reopen(drawer.file()).draft.fetch(Song.self).isEmpty)
    try GraphArchive.save([album], to: drawer.file())
    #expect(try reopen(drawer.file()).draft.fetch(Song.self).map(\.id) == songs.map(\.id))
  }

  @Test("Each kind of value comes back exactly")
  func values() throws {
    var full = Song(
      title: "a\u{0}b 日本 \u{301}", lyrics: "", plays: Int.min, ease: -0.0, mood: .hard,
      due: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), token: UUID(),
      picture: Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) }), hints: ["x", "\""])
    for plays in [0, -1, 127, 128, -32_768, 40_000, 1 << 31, -(1 << 31), Int.max] {
      full.plays = plays
      try context.insert(full)
    }
    full.ease = .infinity
    full.picture = Data()
    try context.insert(full)
    try context.insert(Song())
    try GraphArchive.save(everythingIn: context, to: drawer.file())
    let again = try reopen(drawer.file()).draft.fetch(Song.self).map(\.value)
    let before = try context.fetch(Song.self).map(\.value)
    #expect(again.map { "\($0)" } == before.map { "\($0)" })
    #expect(again.map(\.picture) == before.map(\.picture))
    #expect(again.map(\.ease.bitPattern) == before.map(\.ease.bitPattern))
  }

  @Test("Disconnected objects are saved with what they are linked to")
  func disconnected() throws {
    let song = Object(Song(title: "new"))
    let album = Object(Album(name: "form"))
    let singer = try context.insert(Singer(name: "Ada"))
    song.album = album
    album.singer = singer
    try GraphArchive.save([song], to: drawer.file())
    let graph = try reopen(drawer.file())
    let again = try #require(graph.roots.first as? Object<Song>)
    #expect(again.id == song.id)
    #expect(again.album?.id == album.id)
    #expect(again.album?.singer?.name == "Ada")
  }

  @Test("A whole draft is saved, changed and saved again")
  func drafts() throws {
    let draft = try ObjectContext(draftOf: Music.entities)
    let album = try Music.album(songs: 3, in: draft)
    try GraphArchive.save(everythingIn: draft, to: drawer.file())
    let graph = try reopen(drawer.file())
    #expect(graph.roots.isEmpty)
    let song = try #require(try graph.draft.fetch(Song.self).last)
    song.title = "changed"
    try graph.draft.delete(try graph.draft.fetch(Song.self)[0])
    try GraphArchive.save(everythingIn: graph.draft, to: drawer.file())
    let titles = try reopen(drawer.file()).draft.fetch(Song.self).map(\.title)
    #expect(titles == ["1 + 1?", "changed"])
    #expect(album.songs.count == 3)
  }

  @Test("A whole store is saved in windows with its unsaved changes, as a draft of the same")
  func windows() throws {
    for number in 0..<9000 { try context.insert(Song(title: "\(number)")) }
    try context.save()
    let store = context
    try store.insert(Song(title: "unsaved"))
    try store.delete(try store.fetch(Song.self, limit: 1)[0])
    try GraphArchive.save(everythingIn: store, to: drawer.file("store"))
    let draft = try reopen(drawer.file("store")).draft
    let titles = try draft.fetch(Song.self).map(\.title)
    #expect(titles == (1..<9000).map { "\($0)" } + ["unsaved"])
    try GraphArchive.save(everythingIn: draft, to: drawer.file("draft"))
    #expect(try Data(contentsOf: drawer.file("store")) == Data(contentsOf: drawer.file("draft")))
  }

  @Test("The same objects give the same bytes, whatever the order of entities and the context")
  func deterministic() throws {
    let album = try Music.album(songs: 200, in: context)
    try GraphArchive.save([album], to: drawer.file("one"))
    try context.save()
    try GraphArchive.save([album], to: drawer.file("two"))
    let other = try ObjectContext(draftOf: Music.entities.reversed())
    try GraphArchive.copy(everythingIn: context, into: other)
    let copy = try #require(try other.fetch(Album.self).first)
    try GraphArchive.save([copy], to: drawer.file("three"))
    let bytes = try Data(contentsOf: drawer.file("one"))
    #expect(try Data(contentsOf: drawer.file("two")) == bytes)
    #expect(try Data(contentsOf: drawer.file("three")) == bytes)
  }

  @Test("A reference to what is no longer there stays, and leads nowhere")
  func dangling() throws {
    let song = try context.insert(Song(album: Ref(key: 99)))
    try GraphArchive.save([song], to: drawer.file())
    let again = try #require(try reopen(drawer.file()).roots.first as? Object<Song>)
    #expect(again.value.album == Ref(key: 99))
    #expect(again.album == nil)
  }

  @Test("What no archive can hold is refused by name: deleted, of two contexts, not a number")
  func refused() throws {
    let url = drawer.file()
    let song = try context.insert(Song())
    let other = try MemoryStore(Music.entities).makeContext().insert(Song())
    #expect(throws: GraphError.self) { try GraphArchive.save([song, other], to: url) }
    song.ease = .nan
    #expect {
      try GraphArchive.save([song], to: url)
    } throws: {
      "\($0)".contains("save the archive \(url.path): \(song.reference): ease is not a number")
    }
    try context.delete(song)
    #expect(throws: GraphError.self) { try GraphArchive.save([song], to: url) }
    #expect(try drawer.names == [])
  }

  @Test("A decimal of any form and size comes back equal, and not a number is refused")
  func decimals() throws {
    let context = try MemoryStore(StoreLaw.entities).makeContext()
    let url = drawer.file()
    let prices: [Decimal] = [.loose(-2, 150), .greatestFiniteMagnitude, -0.05, .loose(-128, 1)]
    let samples = try prices.map { price in
      let sample = try context.insert(Sample())
      (sample.price, sample.maybePrice) = (price, price)
      return sample
    }
    try GraphArchive.save(samples, to: url)
    guard case .graph(let graph) = try GraphArchive.open(url, StoreLaw.entities) else {
      throw GraphError("open \(url)", .damaged("it is no graph"))
    }
    let again = graph.roots.compactMap { $0 as? Object<Sample> }
    #expect(again.map { Digits($0.price) } == prices.map { Digits($0) })
    #expect(again.map { $0.maybePrice.map { Digits($0) } } == prices.map { Digits($0) })
    samples[0].price = .nan
    #expect {
      try GraphArchive.save(samples, to: url)
    } throws: {
      "\($0)".contains("\(samples[0].reference): price is not a number")
    }
  }

  @Test("Nothing at all is an archive too")
  func empty() throws {
    try GraphArchive.save([], to: drawer.file())
    let graph = try reopen(drawer.file())
    #expect(graph.roots.isEmpty && graph.notes.isEmpty)
  }

  @Test("A draft of an archive ends without a word about unsaved objects")
  func silentEnd() throws {
    let faults = Mutex(0)
    do {
      let draft = try ObjectContext(draftOf: Music.entities)
      draft.onError = { _ in faults.withLock { $0 += 1 } }
      _ = try Music.album(songs: 2, in: draft)
    }
    #expect(faults.withLock { $0 } == 0)
  }

  @Test("A child of a draft is saved with all that it sees, and goes on from there")
  func nestedDrafts() throws {
    let draft = try ObjectContext(draftOf: Music.entities)
    let album = try Music.album(songs: 3, in: draft)
    let child = draft.makeChild()
    let mirror = ListMirror(try LiveList(FetchRequest<Song>(sort: { $0.title }), in: child))
    let inner = try child.object(with: album.id)
    inner.name = "edited"
    let song = try child.insert(Song(title: "new", album: inner.id))
    try GraphArchive.save([inner], to: drawer.file())
    try GraphArchive.save(everythingIn: child, to: drawer.file("all"))
    for name in ["graph", "all"] {
      let graph = try reopen(drawer.file(name))
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
    #expect(mirror.list.isEmpty)
    try child.save()
    #expect(try draft.count(Song.self) == 0)
    #expect(try mirror.complaint() == nil)
  }

  @Test("A disconnected object whose schema has a mistake is refused, and not read")
  func mistakenSchema() {
    let error = #expect(throws: GraphError.self) {
      try GraphArchive.save([Object(Mistaken())], to: drawer.file("graph"))
    }
    #expect("\(error, default: "")".contains("Mistaken.forged: Forged returns"))
  }

  @Test("Disconnected objects of two entities with one name are an error, and no trap")
  func namesakes() async throws {
    await #expect(processExitsWith: .success) { [path = drawer.file().path as String] in
      let cards: [GraphObject] = [
        Object(Card(question: "a")), Object(LineageTestSupport.Card("b")),
      ]
      #expect(throws: GraphError.self) { try GraphArchive.save(cards, to: URL(filePath: path)) }
    }
    #expect(try drawer.names == [])
  }
}

private struct Forged: AttributeValue {
  var number: Int8 = 0
  static var attributeForm: AttributeForm { String.attributeForm }
}

private struct Mistaken: Entity {
  var forged = Forged()
  static let schema = Schema<Mistaken>("Mistaken") { Attribute("forged", \.forged) }
}
