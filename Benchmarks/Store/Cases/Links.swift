import Foundation
import Lineage

/// The `links` case: the songs of a playlist are read in its order, into objects that nobody has yet.
/// There is one song for ten rows of the other cases.
@MainActor enum Links {
  private static let name = "links"

  fileprivate struct Song: Entity {
    var title = ""
    var plays = 0

    static let schema = Schema<Song>("Song") {
      Attribute("title", \.title)
      Attribute("plays", \.plays)
    }
  }

  fileprivate struct Playlist: Entity {
    var name = ""
    var songs: Through<Track, Song> { Through(\.playlist, \.song, order: \.position) }

    static let schema = Schema<Playlist>("Playlist") {
      Attribute("name", \.name)
      ToMany("songs", \.songs)
    }
  }

  /// A link between a playlist and a song.
  fileprivate struct Track: Entity {
    var playlist: Ref<Playlist>?
    var song: Ref<Song>?
    var position = 0

    static let schema = Schema<Track>("Track") {
      ToOne("playlist", \.playlist)
      ToOne("song", \.song)
      Attribute("position", \.position, onConflict: .mine)
    }
  }

  static func benchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    let count = fixtures.rows / 10
    var bar = Bar.ratio(of: LineageStore.name, to: RawSQLite.name, atMost: 1.6)
    bar.reason =
      "each row needs an object of the link and one of the song, and a search for the latter, where "
      + "the join makes one struct"
    return BenchmarkCase(
      suite: .store, name: name, parameters: [Parameter("rows", fixtures.rows)],
      unit: .milliseconds, effort: effort, baseline: RawSQLite.name,
      subjects: [
        Subject(name: RawSQLite.name) {
          let (file, playlist) = try await filled(fixtures, count)
          let connection = try RawConnection(file.path)
          let select = try connection.prepare(
            """
            SELECT Track.id, Track.playlist, Track.song, Track.position, Song.id, Song.title,
              Song.plays
            FROM Track JOIN Song ON Song.id = Track.song
            WHERE Track.playlist = ? ORDER BY Track.position, Track.id
            """)
          func read() throws -> [RawPair] {
            try connection.transaction {
              select.bind(playlist.key, at: 1)
              defer { select.reset() }
              var pairs: [RawPair] = []
              while try select.step() { pairs.append(RawPair(select)) }
              return pairs
            }
          }
          return Trial(
            answer: { answer(try read().map { ($0.title, $0.plays) }) },
            sample: { try Stopwatch.nanoseconds($0, making: read) })
        },
        Subject(name: LineageStore.name) {
          let (file, playlist) = try await filled(fixtures, count)
          let store = try await SQLiteStore.open(at: file, entities)
          func read() throws -> (ObjectContext, Linked<Track, Song>) {
            let context = store.makeContext()
            return (context, try context.object(with: playlist.ref).songs)
          }
          return Trial(
            answer: {
              let (context, songs) = try read()
              return withExtendedLifetime(context) { answer(songs.map { ($0.title, $0.plays) }) }
            },
            sample: { try Stopwatch.nanoseconds($0, making: read) })
        },
      ],
      bars: fixtures.hasBars ? [bar] : [])
  }

  private static let entities: [any Entity.Type] = [Track.self, Playlist.self, Song.self]

  /// A row of the join, as one would read it by hand.
  private struct RawPair {
    let link, playlist, song, position, id, plays: Int64
    let title: String

    init(_ select: RawStatement) {
      (link, playlist, song) = (select.integer(0), select.integer(1), select.integer(2))
      (position, id) = (select.integer(3), select.integer(4))
      (title, plays) = (select.text(5), select.integer(6))
    }
  }

  private static func answer(_ songs: [(title: String, plays: some BinaryInteger)]) -> Answer {
    var hash = 0
    for song in songs { hash = hash &* 31 &+ song.title.utf8.count &+ Int(song.plays) }
    return ["songs": songs.count, "order": hash]
  }

  /// Returns a new file with a playlist, whose order is not that of the songs' ids, and the id of the
  /// playlist.
  private static func filled(
    _ fixtures: Fixtures, _ count: Int
  ) async throws -> (URL, (key: Int64, ref: Ref<Playlist>)) {
    let file = try fixtures.newPlace(URL.self)
    let store = try await SQLiteStore.open(at: file, entities)
    defer { store.close() }
    let context = store.makeContext()
    let playlist = try context.insert(Playlist(name: "all"))
    for (number, place) in fixtures.roster.places(count).enumerated() {
      let song = try context.insert(Song(title: "song \(number)", plays: number))
      try context.insert(
        Track(playlist: playlist.id, song: song.id, position: place * 1_024))
    }
    try context.save()
    guard let key = Int64("\(playlist.id)".split(separator: "/").last ?? "") else {
      throw CocoaError(.coderReadCorrupt)
    }
    return (file, (key, playlist.id))
  }
}
