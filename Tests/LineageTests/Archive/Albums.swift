import Foundation
import Lineage

/// A song of an album. Songs, albums and singers are the entities in the tests of archives.
struct Song: Entity {
  enum Mood: String, Sendable { case easy, hard }

  var title = ""
  var lyrics: String?
  var plays = 0
  var ease = 2.5
  var mood = Mood.easy
  var due: Date?
  var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  var picture: Data?
  var hints: [String]?
  var album: Ref<Album>?
  var next: Ref<Song>?

  static let schema = Schema<Song>("Song") {
    Attribute("title", \.title)
    Attribute("lyrics", \.lyrics)
    Attribute("plays", \.plays)
    Attribute("ease", \.ease)
    Attribute("mood", \.mood)
    Attribute("due", \.due)
    Attribute("token", \.token)
    Attribute("picture", \.picture)
    Attribute("hints", json: \.hints)
    ToOne("album", \.album)
    ToOne("next", \.next)
  }
}

struct Album: Entity {
  var name = ""
  var singer: Ref<Singer>?
  var songs: Many<Song> { Many(\.album) }

  static let schema = Schema<Album>("Album") {
    Attribute("name", \.name)
    ToOne("singer", \.singer)
    ToMany("songs", \.songs, onDelete: .cascade)
  }
}

struct Singer: Entity {
  var name = ""
  var favourite: Ref<Song>?

  static let schema = Schema<Singer>("Singer") {
    Attribute("name", \.name)
    ToOne("favourite", \.favourite)
  }
}

enum Music {
  static let entities: [any Entity.Type] = [Song.self, Album.self, Singer.self]

  /// Makes an album, its songs and a singer. Each song refers to the next song, and the last song
  /// to the first one. The singer refers to a favourite song.
  static func album(songs count: Int, in context: ObjectContext) throws -> Object<Album> {
    let singer = try context.insert(Singer(name: "Ada"))
    let album = try context.insert(Album(name: "Sums", singer: singer.id))
    let songs = try (0..<count).map { number in
      try context.insert(Song(title: "\(number) + \(number)?", album: album.id))
    }
    for (song, next) in zip(songs, songs.dropFirst() + songs.prefix(1)) { song.next = next }
    singer.favourite = songs.first
    return album
  }
}
