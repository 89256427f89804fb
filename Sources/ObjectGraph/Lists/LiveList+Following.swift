/// The changes that a list was notified of, and has not applied to its rows yet.
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
  package final var stage: FollowerStage { .lists }

  package final func markChanged(_ key: Int64, of entity: Int, in columns: ColumnMask?) {
    if entity == asked.query.entity { news.keys.insert(key) }
    if asked.reached.contains(entity) { news.isEverything = true }
  }

  package final func markChanged(_ keys: [Int64], of entity: Int) {
    if entity == asked.query.entity { news.keys.formUnion(keys) }
    if asked.reached.contains(entity) { news.isEverything = true }
  }

  package final func markAllChanged() { news.isEverything = true }

  package final func operationDidEnd() {
    absorbHeard(isRetrying: true)
    callObservers()
  }
}

extension LiveList {
  /// Asks the store which rows other contexts and processes have committed, and applies all changes
  /// that the list was notified of. Each access to the rows calls this function first.
  ///
  /// While observers are called, the list does not ask the store, because the rows must match the
  /// changes that the observers get.
  final func absorb(isRetrying: Bool = false) { absorb(isRetrying, hearing: !isTelling) }

  /// Applies the changes that an operation notified the list of. If this requires a read of the
  /// store, first asks the store for commits of other contexts and processes.
  final func absorbHeard(isRetrying: Bool = false) { absorb(isRetrying, hearing: !isHeld(news)) }

  /// Applies the changes that the list was notified of. If the last attempt failed, does nothing
  /// unless `isRetrying` is true.
  private func absorb(_ isRetrying: Bool, hearing: Bool) {
    try? context.noteRead(asked.query)
    guard problem == nil || isRetrying else { return }
    do {
      if hearing { try context.hearForList() }
      if loading?.hasFailed == true { beginLoading(loading?.next) }
      // A read in `takeInNews` may notify the list of further changes.
      while !news.isEmpty { try takeInNews() }
      problem = nil
    } catch {
      problem = error
    }
  }

  private func takeInNews() throws {
    let heard = news
    news = ListNews()
    do {
      if let refusal = asked.refusal { throw refusal }
      try takeIn(heard)
    } catch {
      news.add(heard)
      throw error
    }
  }

  /// Returns whether the changes can be applied without reading rows of the store. This is the case
  /// if the context has all changed objects, and the rows depend on no other objects.
  private func isHeld(_ heard: ListNews) -> Bool {
    !needsFetch(heard) && asked.reached.isEmpty
      && heard.keys.allSatisfy { context.nearest($0, asked.query.entity) != nil }
  }

  /// Returns whether all rows must be fetched again, because the ids of the changed objects are not
  /// enough.
  final func needsFetch(_ heard: ListNews) -> Bool {
    heard.isEverything || asked.query.limit != nil || asked.query.offset > 0
      || heard.keys.count > 64 && heard.keys.count * 2 > rows.count
      // Related objects that no context has are read in their newest state, but the rows may still
      // have the order of an older state.
      || !asked.reached.isEmpty && context.isBehind
  }

  /// Fetches all rows again. The rows with the given ids are reported to observers as updated.
  final func fetchAgain(_ changed: Set<Int64> = []) throws {
    try replace(with: try context.fetch(asked.request), changed)
  }

  /// Replaces all rows with the given objects. The rows with the given ids are reported to
  /// observers as updated.
  final func replace(with objects: [Object<Value>], _ changed: Set<Int64> = []) throws {
    var replaced = ListRows<Value>(rows.sections.emptied)
    replaced.fill(objects, sectionKeys: try sectionKeys(of: objects))
    record(ListSplice(from: rows.keys, in: rows.sections, to: replaced, changed: changed))
    rows = replaced
  }

  /// Removes and inserts the rows of a splice, and records the changes for observers.
  final func take(_ splice: ListSplice<Value>) {
    record(splice)
    rows.apply(splice)
  }

  /// Returns the splice that updates the rows of changed objects. It removes their rows, and
  /// inserts rows at the right positions for the objects that match the filter and that `admits`
  /// accepts.
  ///
  /// - Throws: If a changed object, or an object on which its position depends, cannot be read.
  final func plan(
    for keys: Set<Int64>, admitting admits: (Object<Value>) throws -> Bool
  ) throws -> ListSplice<Value> {
    var splice = try plan(
      for: keys, removing: PositionSet(rows.positions(of: keys)), admitting: admits)
    splice.changed = keys
    return splice
  }

  /// Returns the splice that removes the rows at some positions, and inserts the objects with the
  /// given ids that match the filter and that `admits` accepts.
  final func plan(
    for keys: some Collection<Int64>, removing removed: PositionSet,
    admitting admits: (Object<Value>) throws -> Bool = { _ in true }
  ) throws -> ListSplice<Value> {
    let added = try arrivals(keys, in: asked, admitting: admits)
    // The changed rows may be in the wrong place. All other rows are in order.
    let others = 0..<(rows.count - removed.count)
    func precedes(_ rank: Sorter.Rank, _ other: Int) throws -> Bool {
      let row = ContextRow(rows.objects[removed.index(ofRank: other)], in: context)
      return asked.sorter.precedes(rank, try asked.sorter.rank(of: row))
    }
    let places: [Int]
    // Most slices of a list that loads elsewhere come after all other rows.
    if added.count > 8, let last = others.last, try !precedes(added[0].rank, last) {
      places = added.indices.map { $0 + others.count }
    } else {
      places = try added.enumerated().map { index, arrival in
        index + (try others.partitioningIndex { try precedes(arrival.rank, $0) })
      }
    }
    let objects = added.map { $0.row.object.typed(Value.self) }
    return ListSplice(
      removed: removed, removedKeys: removed.positions.map { rows.keys[$0] }, added: objects,
      places: PositionSet(places), sectionKeys: sectionKeys(of: added.map(\.rank)), changed: [])
  }

  /// Returns the objects with the given ids that match the filter of a request and that `admits`
  /// accepts, in the order of the request.
  final func arrivals(
    _ keys: some Collection<Int64>, in asked: ListQuery<Value>,
    admitting admits: (Object<Value>) throws -> Bool = { _ in true }
  ) throws -> [(row: ContextRow, rank: Sorter.Rank)] {
    var added: [(row: ContextRow, rank: Sorter.Rank)] = []
    try context.announce(keys, of: asked.query.entity)
    for key in keys {
      guard let object = try context.graphObject(key, asked.query.entity) else { continue }
      let row = ContextRow(object, in: context)
      guard try asked.matcher.matches(row), try admits(row.object.typed(Value.self)) else {
        continue
      }
      added.append((row, try asked.sorter.rank(of: row)))
    }
    added.sort { asked.sorter.precedes($0.rank, $1.rank) }
    return added
  }

  /// Returns the section key of each row; empty if the list has no section keys.
  private func sectionKeys(of ranks: [Sorter.Rank]) -> [[StoredValue]] {
    sectionKeys.isEmpty ? [] : ranks.map { Array($0.values.prefix(sectionKeys.count)) }
  }

  /// Returns the section key of each object; empty if the list has no section keys.
  private func sectionKeys(of objects: [Object<Value>]) throws -> [[StoredValue]] {
    guard !sectionKeys.isEmpty else { return [] }
    return try objects.map { object in
      let row = ContextRow(object, in: context)
      return try sectionKeys.map { try $0.value(of: row) }
    }
  }
}

extension LiveList {
  /// Returns whether the rows are consistent. Tests call this function.
  package final func checkInvariants() -> Bool { rows.checkInvariants() }

  /// The number of rows, sections and recorded changes that the list has visited to apply changes.
  /// Tests check this number.
  package final var visitCount: Int { visits.count }
}
