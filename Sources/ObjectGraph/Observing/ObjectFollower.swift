/// The observers of single objects in one context. The tokens of the observers retain it.
final class ObjectFollower {
  private(set) weak var context: ObjectContext?
  private var watches: [RowKey: [WeakWatch]] = [:]
  /// The number of watches in ``watches``, of which some may have ended.
  private var count = 0
  private var limit = 16
  private var changed: Set<RowKey> = []
  private var isEverything = false
  var isWaiting = false

  private struct WeakWatch {
    weak var watch: ObjectWatch?
  }

  init(_ context: ObjectContext) { self.context = context }

  func add(_ watch: ObjectWatch) {
    if count >= limit { sweep() }
    watches[watch.row, default: []].append(WeakWatch(watch: watch))
    count += 1
  }

  /// Removes the watches that have ended.
  private func sweep() {
    watches = watches.compactMapValues { watches in
      let living = watches.filter { $0.watch != nil }
      return living.isEmpty ? nil : living
    }
    count = watches.values.reduce(0) { $0 + $1.count }
    limit = 2 * count + 16
  }
}

/// One observer or loop of an object. Its token or iterator retains it.
class ObjectWatch {
  let row: RowKey
  /// The place of the watch among all watches, by the time of its creation.
  let number = KeyClock.next()
  /// The follower, which lives as long as one of its watches.
  let follower: ObjectFollower

  init(_ row: RowKey, _ follower: ObjectFollower) {
    self.row = row
    self.follower = follower
  }

  /// Calls the observer or wakes the loop, if the object differs from what it was told last.
  func tell() {}
}

extension ObjectFollower: ContextFollower {
  var followsInSlices: Bool { true }
  var stage: FollowerStage { .objects }

  func markChanged(_ key: Int64, of entity: Int, in columns: ColumnMask?) {
    let row = RowKey(entity: entity, key: key)
    if watches[row] != nil { changed.insert(row) }
  }

  // An observed object is in its context, which therefore hears of each change of the object.
  func markChanged(_ keys: [Int64], of entity: Int) {}

  func markAllChanged() { isEverything = true }

  func operationDidEnd() {
    guard isEverything || !changed.isEmpty else { return }
    let rows = isEverything ? Array(watches.keys) : Array(changed)
    (isEverything, changed) = (false, [])
    var told = rows.flatMap { watches[$0] ?? [] }.compactMap(\.watch)
    if told.count > 1 { told.sort { $0.number < $1.number } }
    // Observers of an ended context are not called, even if one of them has just ended it.
    for watch in told where context != nil { watch.tell() }
  }
}
