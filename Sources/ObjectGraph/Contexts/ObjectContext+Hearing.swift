// A family consists of all contexts of one root. The family learns which rows others have
// committed, and merges these rows later.
//
// A moment (read transaction) of the store shows rows that were committed since the last merge. When
// it begins, the store posts the ids of these rows. If a context has an object of such a row, the
// object replaces the row in results, as an unsaved object does. So no result mixes old objects with
// new rows.
//
// Rejected: merging at the first read. It would change objects while they are in use.

extension ObjectContext {
  /// Runs a closure whose reads all see one moment (read transaction). Before the closure runs, the
  /// context learns of all commits that the moment shows.
  ///
  /// The store can end a moment between two reads, because another reader needs the connection, or
  /// because the store's log cannot shrink during a moment. The closure then runs again, in a
  /// moment that the store must not end.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try naming { try readingHeard(body) }
  }

  private func readingHeard<Result>(_ body: () throws -> Result) throws -> Result {
    guard let reader = try currentReader() else { return try body() }
    func read() throws -> Result {
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

  /// Begins a moment (read transaction) if there is none, and learns which rows others have
  /// committed. Does nothing if the family has already done so in the current moment.
  @inline(__always)
  func hear(_ reader: any StoreReader) throws {
    if reader.moment != family.unmerged.moment { try hearOfMoment(reader) }
  }

  /// Does the same as ``hear(_:)``. A list calls this function before it reads its rows.
  func hearForList() throws {
    if let reader = try currentReader() { try hear(reader) }
  }

  private func hearOfMoment(_ reader: any StoreReader) throws {
    try reader.begin()
    let moment = reader.moment
    tellAgain()
    let inbox = session.inbox
    if !inbox.isEmpty { root.queueForMerge(inbox.take(), inMoment: true) }
    // If the store has already ended the moment, the number is -1. No moment has this number, so
    // the caller reads again.
    family.unmerged.moment = moment == 0 ? -1 : moment
  }

  /// Notifies followers again of the rows in `family.unmerged.lately`. The family learned of these
  /// rows in the last moment.
  ///
  /// That moment may have begun before the rows were committed, so followers may have read old
  /// rows.
  func tellAgain() {
    let again = family.unmerged.lately
    guard !again.isEmpty else { return }
    family.unmerged.lately = []
    let waiting = again.filter { family.unmerged.contains($0.key, $0.entity) }
    family.operation.tellOfUnheld(waiting, family.unmerged.isSliced ? .followingAtOnce : .all)
  }

  /// Records rows that others have committed, until a merge updates the objects of the rows.
  ///
  /// Followers are notified of rows that have no object in their context, because they read such a
  /// row in its newest state. During a merge in slices, followers that follow in slices are left
  /// out, because each slice notifies them.
  ///
  /// If `inMoment` is true, the current moment may have begun before the commits. The followers are
  /// then notified again after the moment.
  func queueForMerge(_ news: News, inMoment: Bool) {
    var rows: [RowKey] = []
    for entity in model.layouts.indices {
      let keys = news.isEverything ? heldKeys(entity) : news.keys(of: entity)
      rows += keys.sorted().map { RowKey(entity: entity, key: $0) }
    }
    family.unmerged.add(rows)
    if inMoment { family.unmerged.lately += rows }
    // The objects are retained until the merge. If one were released earlier, a read could make an
    // object of the newer row.
    for (row, objects) in topmostHolders(of: rows) {
      family.unmerged.held += objects
      family.unmerged.hold(row.key, row.entity)
      guard news.deleted[row.entity]?.contains(row.key) ?? false, let object = objects.first else {
        continue
      }
      holdDeleted(object, row.entity)
    }
    family.operation.tellOfUnheld(rows, family.unmerged.isSliced ? .followingAtOnce : .all)
    if news.isEverything {
      family.unmerged.isEverything = true
      family.operation.tellEverything()
    }
  }

  /// Copies an object from a context below, unless this context has it already. Others have deleted
  /// the object. The copy is retained until the merge, so that both contexts show the object until
  /// then.
  private func holdDeleted(_ object: GraphObject, _ entity: Int) {
    let table = table(entity)
    guard !object.isKnownDeletedAbove, object.phase != .inserted, table.object(object.key) == nil
    else { return }
    family.unmerged.held.append(copyAsFetched(object, in: table))
  }

  /// Updates the copies that contexts below have of an object, if the object was made from an
  /// unmerged row.
  ///
  /// The copies may show older values of the row, and a copy must never be older than its original.
  func didMakeUnmerged(_ object: GraphObject, _ entity: Int) {
    guard family.unmerged.contains(object.key, entity) else { return }
    family.unmerged.hold(object.key, entity)
    for child in children.living { child.follow(object, in: entity) }
  }

  /// Returns the ids of all objects of an entity in this context and in the contexts below it.
  private func heldKeys(_ entity: Int) -> Set<Int64> {
    var keys = Set((tables[entity]?.live ?? []).map(\.key))
    for child in children.living { keys.formUnion(child.heldKeys(entity)) }
    return keys
  }

  /// Returns the topmost objects of each row. An object is topmost if no context above its own has
  /// an object of the same row.
  func topmostHolders(of rows: [RowKey]) -> [RowKey: [GraphObject]] {
    var holders: [RowKey: [GraphObject]] = [:]
    var keys: [Int: Set<Int64>] = [:]
    for row in rows { keys[row.entity, default: []].insert(row.key) }
    collectHolders(of: keys, into: &holders)
    return holders
  }

  private func collectHolders(
    of keys: [Int: Set<Int64>], into holders: inout [RowKey: [GraphObject]]
  ) {
    var rest = keys
    for (entity, keys) in keys {
      guard let table = tables[entity] else { continue }
      let held =
        table.map.count < keys.count
        ? table.live.filter { keys.contains($0.key) } : keys.compactMap(table.object)
      for object in held {
        holders[RowKey(entity: entity, key: object.key), default: []].append(object)
        rest[entity]?.remove(object.key)
      }
    }
    for child in children.living { child.collectHolders(of: rest, into: &holders) }
  }
}
