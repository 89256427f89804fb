extension ObjectContext {
  /// Merges the commits of other contexts and processes.
  ///
  /// Properties that are not edited here get the new values, also in the contexts below. If a
  /// property was edited here and changed elsewhere too, the next save has a conflict. After a
  /// merge, reads see the newest state of the store. Lists that load elsewhere take the rows that have
  /// arrived.
  ///
  /// - Complexity: Linear in the number of committed rows. A row is read only if a context has its
  ///   object.
  public func merge() throws {
    // The rest of a merge in slices is merged before newer commits.
    if hasUnreadRows { try merge(upTo: .max) }
    try merge(upTo: .max)
    while takeLoadedRows(upTo: .max) {}
  }

  /// Whether commits of others wait to be merged into the contexts of this root.
  package var hasNews: Bool { merger.hasNews }

  /// Whether commits of others that the moment (read transaction) shows wait to be merged. True if it
  /// cannot begin.
  var isBehind: Bool {
    do { try currentReader()?.begin() } catch { return true }
    return hasNews
  }

  /// Whether rows that others have committed are queued for a merge. The contexts know the ids of
  /// these rows, but not their values yet.
  package var hasUnreadRows: Bool { merger.hasUnmerged }

  /// Merges at most `limit` rows. Returns whether more rows wait to be merged.
  ///
  /// A mailbox merges in slices of at most 500 rows, so that a large import does not block the
  /// tree. Newer commits are taken from the inbox only after all rows of earlier slices are merged.
  /// If a row cannot be read, the other rows are merged nevertheless, and the error is thrown at
  /// the end.
  ///
  /// The store is asked for new commits if `asksStore` is true. A merge that the store's own news has
  /// caused does not ask.
  @discardableResult
  package func merge(upTo limit: Int, asksStore: Bool = true) throws -> Bool {
    try permitChanges("merge", root)
    return try merger.merge(upTo: limit, asksStore: asksStore, root)
  }

  /// Merges the commits of other contexts and processes, and reads every object again.
  ///
  /// Edits are kept, as in ``merge()``.
  ///
  /// - Complexity: One row read for each object of the root context and of the contexts below it.
  public func refresh() throws {
    guard session.store != nil else { return }
    // The store is not asked for commits, because the moment in which all is read tells of them.
    if hasUnreadRows { try merge(upTo: .max, asksStore: false) }
    try merge(upTo: .max, asksStore: false)
    try merger.refresh(root)
  }

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
      try merger.hear(reader, in: self)
      return try body()
    }
    let result = try read()
    if reader.moment == merger.moment { return result }
    return try keepingMoment {
      while true {
        let result = try read()
        if reader.moment == merger.moment { return result }
      }
    }
  }

  /// Learns which rows others have committed, as ``reading(_:)`` does. A list calls this function
  /// before it reads its rows.
  func hearForList() throws {
    if let reader = try currentReader() { try merger.hear(reader, in: self) }
  }
}

extension ObjectContext {
  /// Whether rows that are loaded elsewhere for a list of this family have arrived.
  package var hasLoadedRows: Bool { family.loadings.hasSlice }

  /// The loading of lists in the contexts of this root that is under way, in words.
  package var loadingLists: [String] {
    family.loadings.underWay.map { "the loading of a list of \($0.entityName)" }
  }

  /// Takes in, for one list, at most `limit` rows that were loaded elsewhere. Returns false if none
  /// have arrived.
  ///
  /// A mailbox takes slices of at most 100 rows, each in a turn of its own.
  @discardableResult
  package func takeLoadedRows(upTo limit: Int) -> Bool {
    guard let list = family.loadings.next() else { return false }
    // The slice is judged in a moment that is younger than the reader's.
    session.endMoment()
    family.operation.run { list.takeSlice(upTo: limit) }
    return true
  }
}

extension ObjectContext {
  /// Returns the ids of all objects of an entity in this context and in the contexts below it.
  func heldKeys(_ entity: Int) -> Set<Int64> {
    var keys = Set((usedTable(entity)?.live ?? []).map(\.key))
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
      guard let table = usedTable(entity) else { continue }
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

  /// Returns the object with an id from the nearest context above that has one. If no context above
  /// has one, returns an object with the store's row, which is registered in no context. Returns
  /// nil if there is no row either.
  func above(_ key: Int64, _ entity: Int) throws -> GraphObject? {
    if let above = known(key, entity) { return above }
    guard try session.readRow(key, of: entity) else { return nil }
    return try table(entity).makeScratch(key, cells)
  }
}
