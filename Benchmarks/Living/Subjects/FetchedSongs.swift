import Lineage

/// A list that does not follow changes: all songs are fetched again after each change.
///
/// Fetching is as fast as it can be here, because the order has an index and the context already
/// has the objects.
final class FetchedSongs: ShownSongs {
  private let context: ObjectContext
  private let isWindowed: Bool
  private var fetched: [Object<Song>] = []

  init(in context: ObjectContext, isWindowed: Bool) throws {
    self.context = context
    self.isWindowed = isWindowed
    try fetch()
  }

  var songs: [Object<Song>] {
    isWindowed ? Array(fetched.prefix(SongWindow.visible)) : fetched
  }

  func follow(_ change: () -> Void) throws {
    change()
    try context.save()
    try fetch()
  }

  private func fetch() throws {
    fetched =
      isWindowed
      ? try context.fetch(
        Song.self, where: { $0.rank >= SongWindow.start }, sort: { $0.rank },
        limit: SongWindow.capacity)
      : try context.fetch(Song.self, sort: { $0.rank })
  }
}
