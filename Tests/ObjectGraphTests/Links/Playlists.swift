import ObjectGraph

// The entities in the tests of links: songs in playlists, and the tags of songs.

struct Song: Entity {
  var title = ""
  var plays = 0
  var lists: Through<Entry, Playlist> { Through(\.song, \.list) }
  var tags: Through<Tagging, Tag> { Through(\.song, \.tag, order: \.rank) }

  init() {}
  init(_ title: String, plays: Int = 0) { (self.title, self.plays) = (title, plays) }

  static let schema = Schema<Song>("Song") {
    Attribute("title", \.title)
    Attribute("plays", \.plays)
    ToMany("lists", \.lists)
    ToMany("tags", \.tags)
  }
}

/// A playlist may have the same song twice.
struct Playlist: Entity {
  var name = ""
  var songs: Through<Entry, Song> { Through(\.list, \.song, order: \.position) }
  var entries: Many<Entry> { Many(\.list) }

  init() {}
  init(_ name: String) { self.name = name }

  static let schema = Schema<Playlist>("Playlist") {
    Attribute("name", \.name)
    ToMany("songs", \.songs)
    ToMany("entries", \.entries, onDelete: .cascade)
  }
}

struct Entry: Entity {
  var list: Ref<Playlist>?
  var song: Ref<Song>?
  var position = 0
  var note = ""

  static let schema = Schema<Entry>("Entry") {
    ToOne("list", \.list)
    ToOne("song", \.song)
    Attribute("position", \.position, onConflict: .mine)
    Attribute("note", \.note)
  }
}

/// A tag, whose side of the links is not declared.
struct Tag: Entity {
  var name = ""

  init() {}
  init(_ name: String) { self.name = name }

  static let schema = Schema<Tag>("Tag") { Attribute("name", \.name) }
}

struct Tagging: Entity {
  var song: Ref<Song>?
  var tag: Ref<Tag>?
  var rank = 0

  static let schema = Schema<Tagging>("Tagging") {
    ToOne("song", \.song)
    ToOne("tag", \.tag)
    Attribute("rank", \.rank, onConflict: .mine)
    Unique(\.song, \.tag)
  }
}

enum Playlists {
  static let entities: [any Entity.Type] = [
    Song.self, Playlist.self, Entry.self, Tag.self, Tagging.self,
  ]
}
