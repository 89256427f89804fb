import Lineage

/// A list that is not updated by changes. All of its songs are fetched again after each change.
///
/// Fetching is as fast as possible here, because the ranks have an index and the objects are in the
/// context already.
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
