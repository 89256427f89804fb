import Foundation
import Lineage
import Testing

extension ArticleTests {
  struct Track: Entity {  // the link
    var playlist: Ref<Playlist>?
    var song: Ref<Song>?
    var position = 0
    var note = ""

    static let schema = Schema<Track>("Track") {
      ToOne("playlist", \.playlist)
      ToOne("song", \.song)
      Attribute("position", \.position, onConflict: .mine)
      Attribute("note", \.note)
    }
  }

  struct Playlist: Entity {
    var name = ""
    var songs: Through<Track, Song> { Through(\.playlist, \.song, order: \.position) }

    static let schema = Schema<Playlist>("Playlist") {
      Attribute("name", \.name)
      ToMany("songs", \.songs)
    }
  }

  struct Song: Entity {
    var title = ""
    var playlists: Through<Track, Playlist> { Through(\.song, \.playlist) }

    static let schema = Schema<Song>("Song") {
      Attribute("title", \.title)
      ToMany("playlists", \.playlists)
    }
  }

  @Test("Many-to-many")
  func manyToMany() throws {
    let context = try MemoryStore([Track.self, Playlist.self, Song.self]).makeContext()
    let playlist = try context.insert(Playlist(name: "Morning"))
    let song = try context.insert(Song(title: "Sun"))
    let other = try context.insert(Song(title: "Sea"))
    let third = try context.insert(Song(title: "Sky"))
    try playlist.songs.append(third)
    do {
      try playlist.songs.append(song)
      try playlist.songs.insert(other, at: 0).note = "new"  // the link is at hand
      try playlist.songs.move(from: 0, to: 1)
      try playlist.songs.remove(song)
      let titles = playlist.songs.map(\.title)
      let names = song.playlists.map(\.name)
      #expect(titles == ["Sky", "Sea"] && names.isEmpty)
    }

    let found = try context.fetch(
      Playlist.self,
      where: { $0.songs.contains { $0.title.hasPrefix("S") } && $0.songs.count > 1 })
    #expect(found == [playlist])

    let tracks = FetchRequest<Track>(
      where: { $0.playlist == playlist }, sort: { $0.position }, prefetch: { $0.song })
    let list = try LiveList(tracks, in: context)
    let shown = list.compactMap { $0.song?.title }
    #expect(shown == ["Sky", "Sea"])
    try context.save()
  }
}
