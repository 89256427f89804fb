import Lineage

/// What one does without a list that follows: after each change, all is fetched again.
///
/// The order has an index, and the context has the objects: it is as good as fetching can be.
final class FetchedSongs: ShownSongs {
  private let context: ObjectContext
  private(set) var songs: [Object<Song>]
  private(set) var heard = 0

  init(in context: ObjectContext) throws {
    self.context = context
    songs = try Self.fetch(in: context)
  }

  func follow(_ change: () -> Void) throws {
    change()
    try context.save()
    songs = try Self.fetch(in: context)
    heard += 1
  }

  private static func fetch(in context: ObjectContext) throws -> [Object<Song>] {
    try context.fetch(Song.self, sort: { $0.rank })
  }
}
