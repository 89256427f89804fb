import Lineage

/// A live list with an observer, which hears of each change when it is made.
final class FollowedSongs: ShownSongs {
  private let context: ObjectContext
  private let list: LiveList<Song>
  private var observation: ListObservation?
  private(set) var heard = 0

  init(in context: ObjectContext) throws {
    self.context = context
    list = try LiveList(FetchRequest(sort: { $0.rank }), in: context)
    observation = list.observe { [unowned self] _, changes in
      if !changes.isEmpty { heard += 1 }
    }
  }

  var songs: [Object<Song>] { Array(list) }

  func follow(_ change: () -> Void) throws {
    change()
    try context.save()
  }
}
