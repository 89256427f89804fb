import LineageTestSupport
import Testing

@Suite("Links and followed values in a client's program", .hangGuard, .callsCompiler)
struct ClientLinkTests {
  private static let order = #"Through(\.playlist, \.song, order: \.position)"#

  private static func program(_ property: String, _ body: String) -> String {
    """
    import ObjectGraph
    struct Track: Entity {
      var playlist: Ref<Playlist>?
      var song: Ref<Song>?
      var position = 0
      var note = ""
      static let schema = Schema<Track>("Track") {
        ToOne("playlist", \\.playlist)
        ToOne("song", \\.song)
        Attribute("position", \\.position, onConflict: .mine)
        Attribute("note", \\.note)
      }
    }
    struct Song: Entity {
      var title = ""
      static let schema = Schema<Song>("Song") { Attribute("title", \\.title) }
    }
    struct Playlist: Entity {
      var name = ""
      var songs: Through<Track, Song> { \(property) }
      static let schema = Schema<Playlist>("Playlist") {
        Attribute("name", \\.name)
        ToMany("songs", \\.songs)
      }
    }
    func use(_ list: Object<Playlist>, _ song: Object<Song>, _ context: ObjectContext) throws {
      \(body)
    }
    """
  }

  private static func twins(
    _ name: String, property: String = order, good: String = "", bad: String = "", _ message: String
  ) -> ClientCompiler.Twins {
    ClientCompiler.Twins(
      name: name, good: program(order, good), bad: program(property, bad), message: message)
  }

  static let programs = [
    twins(
      "swapped ends", property: #"Through(\.song, \.playlist)"#,
      "cannot convert value of type 'KeyPath<Track, Optional<Ref<Playlist>>>'"),
    twins(
      "a text as a position", property: #"Through(\.playlist, \.song, order: \.note)"#,
      "cannot convert value of type 'WritableKeyPath<Track, String>'"),
    twins(
      "a misspelt end", property: #"Through(\.playlist, \.nothing)"#,
      "value of type 'Track' has no member 'nothing'"),
    twins(
      "an assignment", good: "try list.songs.append(song)", bad: "list.songs = []",
      "cannot assign to property: 'songs' is a get-only property"),
    twins(
      "an object of another entity", good: "try list.songs.append(song)",
      bad: "try list.songs.append(list)",
      "cannot convert value of type 'Object<Playlist>' to expected argument type 'Object<Song>'"),
    twins(
      "a comparison of the whole property",
      good: "_ = try context.fetch(Playlist.self, where: { $0.songs.count == 3 })",
      bad: "_ = try context.fetch(Playlist.self, where: { $0.songs == 3 })",
      "binary operator '==' cannot be applied"),
    twins(
      "a misspelt property behind the links",
      good:
        #"_ = try context.fetch(Playlist.self, where: { $0.songs.contains { $0.title == "" } })"#,
      bad:
        #"_ = try context.fetch(Playlist.self, where: { $0.songs.contains { $0.titel == "" } })"#,
      "value of type 'ToOneColumn<Track, Song>' has no dynamic member 'titel'"),
    twins(
      "a change of another entity",
      good: #"_ = song.observe { song, change in _ = change.contains(\.title) }"#,
      bad: #"_ = song.observe { song, change in _ = change.contains(\Playlist.name) }"#,
      "cannot convert value of type 'PartialKeyPath<Playlist>'"),
    twins(
      "a live value that cannot be compared",
      good: "_ = try LiveValue(in: context) { _ in [1, 2] }",
      bad: "_ = try LiveValue(in: context) { _ in (1, 2) }",
      "type '(Int, Int)' cannot conform to 'Equatable'"),
  ]

  @Test("A wrong use is refused, with an error that names it", arguments: programs)
  func messages(_ program: ClientCompiler.Twins) throws { try program.check(after: "") }
}
