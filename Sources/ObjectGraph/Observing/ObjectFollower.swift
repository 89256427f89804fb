/// The observers of single objects in one context. The tokens of the observers retain it.
final class ObjectFollower {
  private(set) weak var context: ObjectContext?
  private var rows: [RowKey: WatchedRow] = [:]
  /// The number of watches that were added to ``rows`` and not swept, of which some may have ended.
  private var count = 0
  private var limit = 16
  private var changed: [WatchedRow] = []
  private var isEverything = false
  var isWaiting = false

  init(_ context: ObjectContext) { self.context = context }

  func add(_ watch: ObjectWatch, of row: RowKey) {
    if count >= limit { sweep() }
    let watched = rows[row] ?? WatchedRow()
    rows[row] = watched
    watched.watches.append(WatchedRow.WeakWatch(watch: watch, number: watch.number))
    count += 1
  }

  /// Removes the watches that have ended.
  private func sweep() {
    for row in rows.values { row.watches.removeAll { $0.watch == nil } }
    rows = rows.filter { !$0.value.watches.isEmpty }
    count = rows.values.reduce(0) { $0 + $1.watches.count }
    limit = 2 * count + 16
  }
}

/// The observers and loops of one object.
private final class WatchedRow {
  var watches: [WeakWatch] = []
  /// Whether the follower is still to tell the watches of a change.
  var isChanged = false

  struct WeakWatch {
    weak var watch: ObjectWatch?
    /// The number of the watch.
    let number: Int64
  }
}

/// One observer or loop of an object. Its token or iterator retains it.
class ObjectWatch {
  /// The place of the watch among all watches, by the time of its creation.
  let number = KeyClock.next()
  /// The follower, which lives as long as one of its watches.
  let follower: ObjectFollower

  init(_ follower: ObjectFollower) { self.follower = follower }

  /// Calls the observer or wakes the loop, if the object differs from what it was told last.
  func tell() {}
}

extension ObjectFollower: ContextFollower {
  var followsInSlices: Bool { true }
  var stage: FollowerStage { .objects }

  func markChanged(_ key: Int64, of entity: Int, in columns: ColumnMask?) {
    guard let row = rows[RowKey(entity: entity, key: key)], !row.isChanged else { return }
    row.isChanged = true
    changed.append(row)
  }

  // An observed object is in its context, which therefore hears of each change of the object.
  func markChanged(_ keys: [Int64], of entity: Int) {}

  func markAllChanged() { isEverything = true }

  func operationDidEnd() {
    if changed.count == 1, !isEverything, changed[0].watches.count == 1 {
      // An edit of one object with one observer needs no new array.
      let row = changed.removeLast()
      row.isChanged = false
      if context != nil { row.watches[0].watch?.tell() }
      return
    }
    let told = isEverything ? Array(rows.values) : changed
    changed = []
    isEverything = false
    for row in told { row.isChanged = false }
    let watches = told.flatMap(\.watches).sorted { $0.number < $1.number }
    // An observer may end the context, or the observation of another one, which is then not called.
    for entry in watches where context != nil { entry.watch?.tell() }
  }
}
