// A family of contexts learns which rows others have committed without merging them.
//
// A moment of the store shows rows that were committed since the last merge. The first read of each
// moment asks the store for their ids. Objects of those rows that a context holds then replace the
// store's rows, as unsaved objects do, so that old objects and new rows are not mixed.
//
// Rejected: merging at the first read, which would change objects while they are in use.

extension ObjectContext {
  /// Runs a closure whose reads see one moment, after all commits that the moment shows are known.
  ///
  /// The store may end a moment between two reads, because it holds back the log or because another
  /// reader needs the connection. The closure then runs again, in a moment that the store may not
  /// end.
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

  /// Learns of the commits of others up to the current moment, once for each moment.
  @inline(__always)
  func hear(_ reader: any StoreReader) throws {
    if reader.moment != family.unmerged.moment { try hearOfMoment(reader.moment) }
  }

  /// Learns of the commits of others before a list is read.
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
    // If the store has already ended the moment, its rows are read again.
    family.unmerged.moment = moment == 0 ? -1 : moment
  }

  /// Notifies followers again of the rows that were learned of in the last moment.
  ///
  /// That moment may have begun before their commits, so that followers may have read the rows as
  /// they were before.
  func tellAgain() {
    let again = family.unmerged.lately
    guard !again.isEmpty else { return }
    family.unmerged.lately = []
    let waiting = again.filter { family.unmerged.contains($0.key, $0.entity) }
    family.tellOfUnheld(waiting, family.unmerged.isSliced ? .followingAtOnce : .all)
  }

  /// Remembers rows that others have committed until a merge takes them in.
  ///
  /// Followers are notified of the rows that their contexts do not hold, because these are read in
  /// their newest state. While a merge goes in slices, followers that follow in slices are left
  /// out, because each slice notifies them. `inMoment` says whether a moment is under way, which
  /// may have begun before the commits.
  func expect(_ news: News, inMoment: Bool) {
    var rows: [UnmergedRow] = []
    for entity in model.layouts.indices {
      let keys = news.isEverything ? heldKeys(entity) : news.keys(of: entity)
      rows += keys.sorted().map { UnmergedRow(entity: entity, key: $0) }
    }
    family.unmerged.add(rows)
    if inMoment { family.unmerged.lately += rows }
    // The objects are retained until the merge, so that no read in between makes newer ones.
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

  /// Makes the root hold an object that only a context below holds and others have deleted. Both
  /// show it until the merge.
  private func holdDeleted(_ object: GraphObject, _ entity: Int) {
    let table = table(entity)
    guard object.phase != .gone, object.phase != .inserted, table.object(object.key) == nil else {
      return
    }
    family.unmerged.held.append(copyAsFetched(object, in: table))
  }

  /// Makes the contexts below follow an object that was made from a row of an unmerged commit.
  ///
  /// They may have the row as it was before, and a copy must never be older than its original.
  func didMakeUnmerged(_ object: GraphObject, _ entity: Int) {
    guard family.unmerged.contains(object.key, entity) else { return }
    family.unmerged.hold(object.key, entity)
    for child in liveChildren { child.follow(object, in: entity) }
  }

  /// Returns the ids of the objects of an entity that this context or one below has.
  private func heldKeys(_ entity: Int) -> Set<Int64> {
    var keys = Set((tables[entity]?.live ?? []).map(\.key))
    for child in liveChildren { keys.formUnion(child.heldKeys(entity)) }
    return keys
  }

  /// Returns the topmost objects of each row: those with no object of the row in a context above.
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
