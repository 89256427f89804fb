// A family, all contexts of one root, learns which rows others have committed without merging them.
//
// A moment (a read transaction of the store) shows rows that were committed since the last merge.
// The first read of each moment asks the store for their ids. If a context has objects of those
// rows, the objects replace the rows in results, as unsaved objects do. So old objects and new rows
// are not mixed.
//
// Rejected: merging at the first read, which would change objects while they are in use.

extension ObjectContext {
  /// Runs a closure whose reads see one moment (read transaction). Before that, the context learns
  /// of all commits that the moment shows.
  ///
  /// The store may end a moment between two reads, because an open moment keeps its log from
  /// shrinking, or because another reader needs the connection. The closure then runs again, in a
  /// moment that the store may not end.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try naming { try readingHeard(body) }
  }

  private func readingHeard<Result>(_ body: () throws -> Result) throws -> Result {
    guard let reader = try currentReader() else { return try body() }
    func read() throws -> Result {
      if reader.moment == 0 { try reader.begin() }
      try hear(reader)
      return try body()
    }
    let result = try read()
    if reader.moment == family.unmerged.moment { return result }
    return try keepingMoment {
      while true {
        let result = try read()
        if reader.moment == family.unmerged.moment { return result }
      }
    }
  }

  /// Learns which rows others have committed, once for each moment (read transaction).
  @inline(__always)
  func hear(_ reader: any StoreReader) throws {
    if reader.moment != family.unmerged.moment { try hearOfMoment(reader.moment) }
  }

  /// Learns which rows others have committed, before a list is read.
  func hearForList() throws {
    guard let reader = try currentReader() else { return }
    if reader.moment == 0 { try reader.begin() }
    try hear(reader)
  }

  private func hearOfMoment(_ moment: Int) throws {
    let root = root
    guard let store = root.store, let inbox = root.inbox else { return }
    try store.lookForOthers()
    tellAgain()
    if !inbox.isEmpty { root.expect(inbox.take(), inMoment: true) }
    // If the store has already ended the moment, -1 makes the caller read again.
    family.unmerged.moment = moment == 0 ? -1 : moment
  }

  /// Notifies followers again of the rows of which the family learned in the last moment.
  ///
  /// That moment may have begun before those rows were committed, so followers may have read old
  /// rows.
  func tellAgain() {
    let again = family.unmerged.lately
    guard !again.isEmpty else { return }
    family.unmerged.lately = []
    let waiting = again.filter { family.unmerged.contains($0.key, $0.entity) }
    family.tellOfUnheld(waiting, family.unmerged.isSliced ? .followingAtOnce : .all)
  }

  /// Remembers rows that others have committed until a merge takes them in.
  ///
  /// Followers are notified of the rows without an object in their context, because they read these
  /// in their newest state. During a merge in slices, followers that follow in slices are left out,
  /// because each slice notifies them. If `inMoment` is true, a moment is under way that may have
  /// begun before the commits, and the followers are notified again later.
  func expect(_ news: News, inMoment: Bool) {
    var rows: [UnmergedRow] = []
    for entity in model.layouts.indices {
      let keys = news.isEverything ? heldKeys(entity) : news.keys(of: entity)
      rows += keys.sorted().map { UnmergedRow(entity: entity, key: $0) }
    }
    family.unmerged.add(rows)
    if inMoment { family.unmerged.lately += rows }
    // The objects are retained until the merge, so that reads do not make newer objects of the
    // rows.
    for (row, objects) in topmostHolders(of: rows) {
      family.unmerged.held += objects
      family.unmerged.hold(row.key, row.entity)
      guard news.deleted[row.entity]?.contains(row.key) ?? false, let object = objects.first else {
        continue
      }
      holdDeleted(object, row.entity)
    }
    family.tellOfUnheld(rows, family.unmerged.isSliced ? .followingAtOnce : .all)
    if news.isEverything {
      family.unmerged.isEverything = true
      family.tellEverything()
    }
  }

  /// Makes the root retain a copy of an object that others have deleted and that only a context
  /// below has. Both contexts show the object until the merge.
  private func holdDeleted(_ object: GraphObject, _ entity: Int) {
    let table = table(entity)
    guard object.phase != .gone, object.phase != .inserted, table.object(object.key) == nil else {
      return
    }
    family.unmerged.held.append(copyAsFetched(object, in: table))
  }

  /// Updates the copies in the contexts below to an object that was made from an unmerged row.
  ///
  /// The copies may show the row as it was before, and a copy must never be older than its
  /// original.
  func didMakeUnmerged(_ object: GraphObject, _ entity: Int) {
    guard family.unmerged.contains(object.key, entity) else { return }
    family.unmerged.hold(object.key, entity)
    for child in liveChildren { child.follow(object, in: entity) }
  }

  /// Returns the ids of all objects of an entity in this context and in those below it.
  private func heldKeys(_ entity: Int) -> Set<Int64> {
    var keys = Set((tables[entity]?.live ?? []).map(\.key))
    for child in liveChildren { keys.formUnion(child.heldKeys(entity)) }
    return keys
  }

  /// Returns the topmost objects of each row, which have no object of the same row in a context
  /// above.
  func topmostHolders(of rows: [UnmergedRow]) -> [UnmergedRow: [GraphObject]] {
    var holders: [UnmergedRow: [GraphObject]] = [:]
    var keys: [Int: Set<Int64>] = [:]
    for row in rows { keys[row.entity, default: []].insert(row.key) }
    collectHolders(of: keys, into: &holders)
    return holders
  }

  private func collectHolders(
    of keys: [Int: Set<Int64>], into holders: inout [UnmergedRow: [GraphObject]]
  ) {
    var rest = keys
    for (entity, keys) in keys {
      guard let table = tables[entity] else { continue }
      let held =
        table.map.count < keys.count
        ? table.live.filter { keys.contains($0.key) } : keys.compactMap(table.object)
      for object in held {
        holders[UnmergedRow(entity: entity, key: object.key), default: []].append(object)
        rest[entity]?.remove(object.key)
      }
    }
    for child in liveChildren { child.collectHolders(of: rest, into: &holders) }
  }
}
