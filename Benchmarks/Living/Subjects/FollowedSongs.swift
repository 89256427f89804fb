import Lineage

/// A live list with an observer, which is notified of each change when it is made.
final class FollowedSongs: ShownSongs {
  private let context: ObjectContext
  private let list: LiveList<Song>
  private var observation: ObjectObservation?
  private var heard = 0

  init(in context: ObjectContext, isWindowed: Bool) throws {
    self.context = context
    list = try Self.list(in: context, isWindowed: isWindowed)
    observation = list.observe { [unowned self] _, changes in heard += changes.updates.count }
  }

  private static func list(in context: ObjectContext, isWindowed: Bool) throws -> LiveList<Song> {
    let request = FetchRequest<Song>(sort: { $0.rank })
    guard isWindowed else { return try LiveList(request, in: context) }
    let window = try WindowedList(request, in: context, capacity: SongWindow.capacity)
    try window.jump(toKey: SongWindow.start)
    return window
  }

  var songs: [Object<Song>] {
    guard list is WindowedList<Song> else { return Array(list) }
    return Array(list.drop { $0.rank < SongWindow.start }.prefix(SongWindow.visible))
  }

  func follow(_ change: () -> Void) throws {
    change()
    try context.save()
  }
}
