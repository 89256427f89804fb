import Foundation
import Lineage
import LineageTestSupport
import Testing

/// The entities of a later version of the program.
private enum Later {
  enum Mood: String, Sendable { case easy, wild }

  struct Song: Entity {
    var stars = 3
    var name = ""
    var mood = Mood.wild
    var plays = "none"
    var ease = 0.0
    var record: Ref<Album>?

    static let schema = Schema<Song>("Song") {
      Attribute("stars", \.stars)
      Attribute("name", \.name, formerly: "title")
      Attribute("mood", \.mood)
      Attribute("plays", \.plays)
      Attribute("ease", \.ease)
      ToOne("record", \.record, formerly: "album")
    }
  }

  struct Album: Entity {
    var name = ""
    var songs: Many<Song> { Many(\.record) }

    static let schema = Schema<Album>("Album") {
      Attribute("name", \.name)
      ToMany("songs", \.songs)
    }
  }
}

@Suite("An archive of an older program")
struct EvolutionTests {
  private let drawer: Drawer
  private let draft: ObjectContext

  init() throws {
    drawer = try Drawer()
    draft = try ObjectContext(draftOf: Music.entities)
  }

  @Test("Properties are found by name, new ones are as at first, and everything is noted")
  func properties() throws {
    let album = try Music.album(songs: 3, in: draft)
    album.songs[1].mood = .hard
    album.songs[2].ease = 1.5
    try GraphArchive.save([album], to: drawer.file())
    let later: [any Entity.Type] = [Later.Song.self, Later.Album.self]
    guard case .graph(let graph) = try GraphArchive.open(drawer.file(), later) else {
      Issue.record("not opened")
      return
    }
    let again = try #require(graph.roots.first as? Object<Later.Album>)
    #expect(again.songs.map(\.name) == album.songs.map(\.title))
    #expect(again.songs.map(\.mood) == [.easy, .wild, .easy])
    #expect(again.songs.map(\.stars) == [3, 3, 3])
    #expect(again.songs.map(\.plays) == ["none", "none", "none"])
    #expect(again.songs.map(\.ease) == [2.5, 2.5, 1.5])
    let second = album.songs[1].reference
    let first = album.songs[0].reference
    #expect(
      Set(graph.notes) == [
        .unknownProperty(entity: "Album", property: "singer"),
        .unknownEntity("Singer", objects: 1),
        .newProperty(entity: "Song", property: "stars"),
        .renamedProperty(entity: "Song", from: "title", to: "name"),
        .renamedProperty(entity: "Song", from: "album", to: "record"),
        .unfitValues(
          entity: "Song", property: "mood", objects: 1,
          first: "\(second) is the text \"hard\", not a Mood, not a Mood"),
        .unfitValues(
          entity: "Song", property: "plays", objects: 3,
          first: "\(first) is the integer 0, not a String"),
        .unknownProperty(entity: "Song", property: "lyrics"),
        .unknownProperty(entity: "Song", property: "due"),
        .unknownProperty(entity: "Song", property: "token"),
        .unknownProperty(entity: "Song", property: "picture"),
        .unknownProperty(entity: "Song", property: "hints"),
        .unknownProperty(entity: "Song", property: "next"),
      ])
  }

  @Test("The same schema has nothing to note, whatever the order of the entities")
  func same() throws {
    try GraphArchive.save([try Music.album(songs: 3, in: draft)], to: drawer.file())
    guard case .graph(let graph) = try GraphArchive.open(drawer.file(), Music.entities.reversed())
    else {
      Issue.record("not opened")
      return
    }
    #expect(graph.notes.isEmpty)
  }

  @Test("A mistake in the schema is an error before the file is looked at")
  func mistakes() throws {
    #expect(throws: GraphError.self) { try GraphArchive.open(drawer.file(), [Later.Song.self]) }
  }
}
