import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Many-to-many through links") struct LinkTests {
  private struct World {
    let opened: OpenStore
    let context: ObjectContext
    let list: Object<Playlist>
    let songs: [Object<Song>]

    init(_ stores: Stores, songs count: Int = 4) async throws {
      opened = try await stores.open(Playlists.entities)
      context = opened.makeContext()
      list = try context.insert(Playlist("l"))
      songs = try (0..<count).map { [context] in
        try context.insert(Song(String(UnicodeScalar(UInt8(97 + $0))), plays: $0))
      }
    }

    var titles: String { list.songs.map(\.title).joined() }
  }

  @Test("Insert, append, move and remove, each as one step of undo", arguments: Stores.all)
  func editing(_ stores: Stores) async throws {
    let world = try await World(stores)
    let (context, list, songs) = (world.context, world.list, world.songs)
    context.recordsUndo = true
    for song in songs { try list.songs.append(song) }
    #expect(world.titles == "abcd")
    try list.songs.move(from: 3, to: 0)
    #expect(world.titles == "dabc")
    try list.songs.move(from: 0, to: 2)
    #expect(world.titles == "abdc")
    let link = try list.songs.insert(songs[0], at: 2)
    link.note = "again"
    #expect(world.titles == "abadc" && list.songs.links[2] === link)
    try list.songs.remove(at: 0)
    #expect(world.titles == "badc")
    try list.songs.append(songs[0])
    try list.songs.remove(songs[0])
    #expect(world.titles == "bdc" && list.entries.count == 3)
    let steps = ["badca", "badc", "abadc", "abadc", "abdc", "dabc", "abcd", "abc"]
    #expect(
      steps
        == (0..<8).map { _ in
          context.undo()
          return world.titles
        })
    for _ in 0..<8 { context.redo() }
    try context.save()
    #expect(world.titles == "bdc" && songs[1].lists.map(\.name) == ["l"])
    let fresh = world.opened.makeContext()
    let other = try fresh.object(with: list.id)
    #expect(other.songs.map(\.title) == ["b", "d", "c"])
    #expect(songs[0].lists.isEmpty)
    #expect(try songs[2].lists.append(list).position == 0)
    context.discard()
  }

  @Test("A rule over both ends makes a second insertion a move", arguments: Stores.all)
  func unique(_ stores: Stores) async throws {
    let world = try await World(stores)
    let song = world.songs[0]
    let tags = try ["x", "y", "z"].map { try world.context.insert(Tag($0)) }
    let links = try tags.map { try song.tags.append($0) }
    #expect(try song.tags.insert(tags[2], at: 0) === links[2])
    #expect(song.tags.map(\.name) == ["z", "x", "y"])
    #expect(try song.tags.append(tags[2]) === links[2])
    #expect(song.tags.map(\.name) == ["x", "y", "z"])
    // A disconnected object is inserted.
    try song.tags.insert(Object(Tag("new")), at: 1)
    #expect(song.tags.map(\.name) == ["x", "new", "y", "z"])
    try world.context.save()
  }

  @Test("Deleting one end deletes the links, and never the other end", arguments: Stores.all)
  func deleting(_ stores: Stores) async throws {
    let world = try await World(stores)
    let (context, list, songs) = (world.context, world.list, world.songs)
    for song in songs { try list.songs.append(song) }
    let tag = try context.insert(Tag("x"))
    try songs[1].tags.append(tag)
    try context.save()
    let child = context.makeChild()
    let below = try child.object(with: list.id)
    try context.delete(songs[1])
    #expect(world.titles == "acd" && below.songs.count == 3)
    #expect(try context.count(Tagging.self) == 0 && !tag.isDeleted)
    try songs[2].tags.append(tag)
    // The tag does not declare its side.
    try context.delete(tag)
    #expect(songs[2].tags.isEmpty && !songs[2].isDeleted)
    try context.delete(list)
    #expect(try context.count(Entry.self) == 0 && context.count(Song.self) == 3)
    #expect(throws: GraphError.self) { try list.songs.append(songs[0]) }
    try context.save()
  }

  @Test("Others link a song to a list that is deleted here", arguments: Stores.all)
  func linkedByOthers(_ stores: Stores) async throws {
    let world = try await World(stores)
    let (context, list) = (world.context, world.list)
    try list.songs.append(world.songs[0])
    try context.save()
    try context.delete(list)
    let others = world.opened.makeContext()
    try others.object(with: list.id).songs.append(others.object(with: world.songs[1].id))
    try others.save()
    #expect(refusal { try context.save() } == "dangling")
    context.discard()
    #expect(world.titles == "ab")
    try context.delete(list)
    try context.save()
    #expect(try context.count(Entry.self) == 0 && context.count(Playlist.self) == 0)
  }

  @Test("A link without an end is left out, and must not be saved", arguments: Stores.all)
  func halfLinks(_ stores: Stores) async throws {
    let world = try await World(stores)
    let link = try world.list.songs.append(world.songs[0])
    try world.list.songs.append(world.songs[1])
    link.song = nil
    #expect(world.titles == "b" && world.list.entries.count == 2)
    #expect(refusal { try world.context.save() } == "invalid")
    link.song = world.songs[2]
    #expect(world.titles == "cb")
    try world.context.save()
  }

  @Test("Filters, counts and prefetched objects", arguments: Stores.all)
  func queries(_ stores: Stores) async throws {
    let world = try await World(stores)
    let other = try world.context.insert(Playlist("other"))
    for song in world.songs.prefix(3) { try world.list.songs.append(song) }
    try other.songs.append(world.songs[3])
    let empty = try world.context.insert(Playlist("empty"))
    func check() throws {
      let context = world.context
      let all = [world.list, other, empty]
      func names(_ filter: (Columns<Playlist>) -> Filter<Playlist>) throws -> [String] {
        try context.fetch(Playlist.self, where: filter).map(\.name)
      }
      #expect(try names { $0.songs.contains { $0.plays > 2 } } == ["other"])
      #expect(try names { $0.songs.contains { $0.title == "a" && $0.plays == 0 } } == ["l"])
      #expect(try names { $0.songs.allSatisfy { $0.plays < 3 } } == ["l", "empty"])
      #expect(try names { $0.songs.isEmpty } == ["empty"])
      #expect(try names { $0.songs.count >= 3 } == ["l"])
      #expect(
        try context.fetch(Song.self, where: { $0.lists.contains { $0.name == "l" } }).count == 3)
      #expect(
        try context.fetch(Entry.self, where: { $0.song == world.songs[1] }).map(\.list)
          == [world.list])
      let request = FetchRequest<Playlist>(prefetch: { $0.songs })
      #expect(try context.fetch(request) == all)
    }
    try check()
    try world.context.save()
    try check()
  }

  @Test("deck.cards is two queries at any length, and a move writes one row")
  func costs() throws {
    let store = CountingStore(try MemoryStore(Playlists.entities))
    let context = ObjectContext(store: store)
    let list = try context.insert(Playlist("l"))
    for number in 0..<3_000 {
      let song = try context.insert(Song("\(number)"))
      var entry = Entry()
      (entry.list, entry.song, entry.position) = (list.id, song.id, number << 20)
      try context.insert(entry)
    }
    try context.save()
    let fresh = ObjectContext(store: store)
    let again = try fresh.object(with: list.id)
    _ = store.take()
    let songs = again.songs
    #expect(songs.count == 3_000 && songs[2_999].title == "2999")
    #expect(store.take().calls.queries == 2)
    try songs.move(from: 2_999, to: 5)
    #expect(again.songs[5].title == "2999")
    #expect(try fresh.fetch(Entry.self).count { !$0.changes.isEmpty } == 1)
    fresh.discard()
  }

  @Test("Two moves of one link do not conflict, and a list of links follows", arguments: Stores.all)
  func moves(_ stores: Stores) async throws {
    let world = try await World(stores)
    for song in world.songs { try world.list.songs.append(song) }
    try world.context.save()
    let other = world.opened.makeContext()
    let theirs = try other.object(with: world.list.id)
    let shown = try LiveList<Entry>(
      FetchRequest(
        where: { $0.list == world.list }, sort: { $0.position }, prefetch: { $0.song }),
      in: world.context)
    try theirs.songs.move(from: 0, to: 3)
    try world.list.songs.move(from: 0, to: 1)
    #expect(shown.compactMap { $0.song?.title } == ["b", "a", "c", "d"])
    try other.save()
    try world.context.save()
    try world.context.merge()
    #expect(world.titles == "bacd")
    try other.merge()
    #expect(theirs.songs.map(\.title) == ["b", "a", "c", "d"])
    #expect(shown.compactMap { $0.song?.title } == ["b", "a", "c", "d"])
  }

  @Test("Random edits give the same order as an array", arguments: Stores.all)
  func random(_ stores: Stores) async throws {
    var random = SplitMix64(seed: 7)
    let world = try await World(stores, songs: 12)
    let child = world.context.makeChild()
    let list = try child.object(with: world.list.id)
    let songs = try world.songs.map { try child.object(with: $0.id) }
    var expected: [Object<Song>] = []
    for round in 0..<300 {
      let place = Int.random(in: 0...expected.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let song = songs.randomElement(using: &random)!
        try list.songs.insert(song, at: place)
        expected.insert(song, at: place)
      case 2 where !expected.isEmpty:
        let from = Int.random(in: expected.indices, using: &random)
        let end = Int.random(in: expected.indices, using: &random)
        try list.songs.move(from: from, to: end)
        expected.insert(expected.remove(at: from), at: end)
      case 3 where place < expected.count:
        try list.songs.remove(at: place)
        expected.remove(at: place)
      default:
        let song = songs.randomElement(using: &random)!
        try list.songs.append(song)
        expected.append(song)
      }
      if round % 50 == 20 { try child.save() }
      if round % 100 == 70 { try world.context.save() }
      #expect(list.songs.elementsEqual(expected, by: ===))
    }
    try child.saveAll()
    #expect(world.list.songs.map(\.title) == expected.map(\.title))
  }

  @Test("Inserting at one place again and again changes few others")
  func onePlace() throws {
    let context = try MemoryStore(Playlists.entities).makeContext()
    let list = try context.insert(Playlist("l"))
    for title in ["first", "last"] { try list.songs.append(Object(Song(title))) }
    try context.save()
    var rewritten = 0
    for number in 0..<200 {
      try list.songs.insert(Object(Song("\(number)")), at: 1)
      rewritten += try context.fetch(Entry.self).count { $0.changes.kind == .updated }
      try context.save()
    }
    #expect(list.songs[1].title == "199" && list.songs[200].title == "0")
    #expect(rewritten < 100, "\(rewritten)")
  }

  @Test("Mistakes of a schema with links are named")
  func mistakes() throws {
    struct Left: Entity {
      var name = ""
      var rights: Through<Pair, Right> { Through(\.left, \.right, order: \.place) }
      var pairs: Many<Pair> { Many(\.left) }
      static let schema = Schema<Left>("Left") {
        Attribute("name", \.name)
        ToMany("rights", \.rights)
        ToMany("pairs", \.pairs)
      }
    }
    struct Right: Entity {
      var name = ""
      var lefts: Through<Pair, Left> { Through(\.right, \.left) }
      static let schema = Schema<Right>("Right") {
        Attribute("name", \.name)
        ToMany("lefts", \.lefts, onDelete: .nullify)
      }
    }
    struct Pair: Entity {
      var left: Ref<Left>?
      var right: Ref<Right>?
      var place: Int {
        get { 0 }
        set {}
      }
      static let schema = Schema<Pair>("Pair") {
        ToOne("left", \.left)
        ToOne("right", \.right)
      }
    }
    let error = #expect(throws: GraphError.self) {
      try MemoryStore([Left.self, Right.self, Pair.self])
    }
    guard case .schema(let mistakes)? = error?.reason else {
      Issue.record("not refused")
      return
    }
    #expect(
      mistakes.map(\.description) == [
        "Left.rights: its target or its order is not a property of Pair's schema",
        "Left.pairs: its objects are links, which need both ends: cascade or deny",
        "Right.lefts: its objects are links, which need both ends: cascade or deny",
      ])
  }

  @Test("On a side without an order, a place is refused in words")
  func noOrder() throws {
    let context = try MemoryStore(Playlists.entities).makeContext()
    let song = try context.insert(Song("a"))
    let list = try context.insert(Playlist("l"))
    let error = #expect(throws: GraphError.self) { try song.lists.insert(list, at: 0) }
    #expect("\(error!)".contains("no order of their own"))
    #expect(song.lists.isEmpty)
    let tag = try context.insert(Tag("t"))
    try song.tags.append(tag)
    let former = song.tags
    try song.tags.remove(at: 0)
    #expect(refusal { try former.move(from: 0, to: 0) } == "deleted")
    let lone = Object(Song("lone"))
    #expect(lone.lists.isEmpty)
    #expect(refusal { try lone.lists.append(list) } == "disconnected")
    context.discard()
  }
}
