// A family of contexts hears of others' commits without taking them in.
//
// A moment of the store has rows that others committed since the last merge. The first read of each
// moment asks the store for their ids, so that objects which a context holds are not mixed with them.

extension ObjectContext {
  /// Reads as of one moment, all news of which are heard.
  ///
  /// The store may end a moment between two reads, because it holds back the log or another reader
  /// needs the connection; then the closure reads again, in a moment that the store may not end.
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

  /// Hears of what others have committed up to the moment under way, once for each moment.
  @inline(__always)
  func hear(_ reader: any StoreReader) throws {
    if reader.moment != family.unmerged.moment { try hearOfMoment(reader.moment) }
  }

  /// Hears of others' commits before a list is looked at.
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
    // One that the store has ended already was none: its rows are read again.
    family.unmerged.moment = moment == 0 ? -1 : moment
  }

  /// Tells followers again of the rows that were heard of in the last moment.
  ///
  /// It may have begun before their commits, so that followers have read the rows as they were.
  func tellAgain() {
    let again = family.unmerged.lately
    guard !again.isEmpty else { return }
    family.unmerged.lately = []
    let waiting = again.filter { family.unmerged.contains($0.key, $0.entity) }
    family.tellOfUnheld(waiting, family.unmerged.isSliced ? .followingAtOnce : .all)
  }

  /// Remembers rows that others have committed until a merge takes them in.
  ///
  /// Followers are told of those that their contexts do not hold, because these are read as they are
  /// by now; but not those that follow a merge in slices, which each slice tells. `inMoment` says
  /// whether a moment is under way, which may have begun before the commits.
  func expect(_ news: News, inMoment: Bool) {
    var rows: [UnmergedRow] = []
    for entity in model.layouts.indices {
      let keys = news.isEverything ? heldKeys(entity) : news.keys(of: entity)
      rows += keys.sorted().map { UnmergedRow(entity: entity, key: $0) }
    }
    family.unmerged.add(rows)
    if inMoment { family.unmerged.lately += rows }
    // Until then they stay, so that what is held is not read anew in between.
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

  /// Has the root show an object that only a context below holds, and others have deleted: both show
  /// it until the merge.
  private func holdDeleted(_ object: GraphObject, _ entity: Int) {
    let table = table(entity)
    guard object.phase != .gone, object.phase != .inserted, table.object(object.key) == nil else {
      return
    }
    family.unmerged.held.append(copyAsFetched(object, in: table))
  }

  /// Has the contexts below take over an object that was made of a row which they may have had as it
  /// was before: a copy is never older than what it copies.
  func didMakeUnmerged(_ object: GraphObject, _ entity: Int) {
    guard family.unmerged.contains(object.key, entity) else { return }
    family.unmerged.hold(object.key, entity)
    for child in liveChildren { child.follow(object, in: entity) }
  }

  /// The ids of the objects of an entity that any context of the family has.
  private func heldKeys(_ entity: Int) -> Set<Int64> {
    var keys = Set((tables[entity]?.live ?? []).map(\.key))
    for child in liveChildren { keys.formUnion(child.heldKeys(entity)) }
    return keys
  }

  /// For each row the objects of the contexts that have no other above them.
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
