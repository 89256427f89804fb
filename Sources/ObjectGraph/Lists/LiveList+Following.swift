/// The changes that a list was told of and has not applied to its rows yet.
struct ListNews {
  /// The ids of changed objects of the list's entity.
  var keys: Set<Int64> = []
  /// Whether anything may have changed, so that the rows must be fetched.
  var isEverything = false

  var isEmpty: Bool { keys.isEmpty && !isEverything }

  mutating func add(_ other: ListNews) {
    keys.formUnion(other.keys)
    isEverything = isEverything || other.isEverything
  }
}

extension LiveList: ContextFollower {
  package final func note(_ key: Int64, of entity: Int) {
    if entity == query.entity { news.keys.insert(key) }
    if reached.contains(entity) { news.isEverything = true }
  }

  package final func note(_ keys: [Int64], of entity: Int) {
    if entity == query.entity { news.keys.formUnion(keys) }
    if reached.contains(entity) { news.isEverything = true }
  }

  package final func noteEverything() { news.isEverything = true }

  package final func operationDidEnd() {
    absorbHeard(isRetrying: true)
    tell()
  }
}

extension LiveList {
  /// Asks what others have committed, and applies all that the list was told of. Each access to the
  /// rows begins with it.
  ///
  /// While observers are told, it does not ask. The changes that they get must lead to the rows
  /// that they find.
  final func absorb(isRetrying: Bool = false) { absorb(isRetrying, hearing: !isTelling) }

  /// Applies what the list was told of by an operation. It asks what others have committed only if
  /// applying it must read the store.
  final func absorbHeard(isRetrying: Bool = false) { absorb(isRetrying, hearing: !isHeld(news)) }

  /// Applies what the list was told of. After a failure it does so only if `isRetrying`.
  private func absorb(_ isRetrying: Bool, hearing: Bool) {
    guard problem == nil || isRetrying else { return }
    do {
      if hearing { try context.hearForList() }
      // A read in `takeInNews` may bring further news.
      while !news.isEmpty { try takeInNews() }
      problem = nil
    } catch {
      problem = error
    }
  }

  private func takeInNews() throws {
    let heard = news
    news = ListNews()
    do { try takeIn(heard) } catch {
      news.add(heard)
      throw error
    }
  }

  /// Returns whether the context holds all objects of the news, and only they decide about the
  /// rows. Then applying the news reads nothing that others may have changed.
  private func isHeld(_ heard: ListNews) -> Bool {
    !needsFetch(heard) && reached.isEmpty
      && heard.keys.allSatisfy { context.nearest($0, query.entity) != nil }
  }

  /// Returns whether the rows must be fetched, because the news alone does not say enough.
  final func needsFetch(_ heard: ListNews) -> Bool {
    heard.isEverything || query.limit != nil || query.offset > 0
      || heard.keys.count > 64 && heard.keys.count * 2 > rows.count
      // Related objects that no context holds are read as they are now. The order of the rows is
      // older.
      || !reached.isEmpty && context.isBehind
  }

  /// Fetches all rows. Observers are told that the rows with the given ids changed.
  final func fetchAgain(_ changed: Set<Int64> = []) throws {
    try replace(with: try context.fetch(request), changed)
  }

  /// Replaces all rows.
  final func replace(with objects: [Object<Value>], _ changed: Set<Int64> = []) throws {
    var replaced = ListRows<Value>(rows.sections.emptied)
    replaced.fill(objects, sectionKeys: try sectionKeys(of: objects))
    record(ListSplice(from: rows.keys, in: rows.sections, to: replaced, changed: changed))
    rows = replaced
  }

  /// Removes rows and inserts others.
  final func take(_ splice: ListSplice<Value>) {
    record(splice)
    rows.apply(splice)
  }

  /// Returns the splice that follows from a change of the given objects.
  ///
  /// - Throws: If an object, or one that its position depends on, cannot be read.
  final func plan(
    for keys: Set<Int64>, admitting admits: (Object<Value>) throws -> Bool
  ) throws -> ListSplice<Value> {
    let removed = PositionSet(rows.positions(of: keys))
    var added: [(row: ContextRow, rank: Sorter.Rank)] = []
    try context.expect(keys, of: query.entity)
    for key in keys {
      guard let instance = try context.instance(key, query.entity) else { continue }
      let row = ContextRow(instance, in: context)
      guard try matcher.matches(row), try admits(row.instance.typed(Value.self)) else { continue }
      added.append((row, try sorter.rank(of: row)))
    }
    added.sort { sorter.precedes($0.rank, $1.rank) }
    // The changed rows may be in the wrong place. All other rows are in order.
    let others = 0..<(rows.count - removed.count)
    let places = try added.enumerated().map { index, arrival in
      index
        + (try others.partitioningIndex { rank in
          let other = ContextRow(rows.objects[removed.index(ofRank: rank)], in: context)
          return sorter.precedes(arrival.rank, try sorter.rank(of: other))
        })
    }
    let objects = added.map { $0.row.instance.typed(Value.self) }
    return ListSplice(
      removed: removed, removedKeys: removed.positions.map { rows.keys[$0] }, added: objects,
      places: PositionSet(places), sectionKeys: try sectionKeys(of: objects), changed: keys)
  }

  /// Returns the section key of each object; empty if there is only one section.
  private func sectionKeys(of objects: [Object<Value>]) throws -> [[StoredValue]] {
    guard !sectionPlaces.isEmpty else { return [] }
    return try objects.map { object in
      let row = ContextRow(object, in: context)
      return try sectionPlaces.map { try row.stored(at: $0) }
    }
  }
}

extension LiveList {
  /// Returns whether the rows are consistent, for tests.
  package final func checkInvariants() -> Bool { rows.checkInvariants() }

  /// The number of rows, sections and remembered changes that the list looked at to follow, for
  /// tests.
  package final var visitCount: Int { visits.count }
}
