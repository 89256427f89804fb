/// What a list has heard and not taken in yet.
struct ListNews {
  /// Objects of the list's entity.
  var keys: Set<Int64> = []
  /// Whether anything may have changed, so that rows must be fetched.
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
  /// Hears of what others have committed and takes it in, as each look at the rows must.
  ///
  /// While observers are told it does not hear: their changes lead to the rows that they find.
  final func absorb(isRetrying: Bool = false) { absorb(isRetrying, hearing: !isTelling) }

  /// Takes in what was heard after an operation; what others have committed only if it must read.
  final func absorbHeard(isRetrying: Bool = false) { absorb(isRetrying, hearing: !isHeld(news)) }

  /// What has failed is not tried again unless something has happened since.
  private func absorb(_ isRetrying: Bool, hearing: Bool) {
    guard problem == nil || isRetrying else { return }
    do {
      if hearing { try context.hearForList() }
      // Whatever reads meanwhile may hear of more.
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

  /// Whether the context holds all that was heard of, and nothing else decides about the rows, so
  /// that taking it in reads nothing that others may have changed.
  private func isHeld(_ heard: ListNews) -> Bool {
    !needsFetch(heard) && reached.isEmpty
      && heard.keys.allSatisfy { context.nearest($0, query.entity) != nil }
  }

  /// Whether what was heard does not say enough, so that rows must be fetched.
  final func needsFetch(_ heard: ListNews) -> Bool {
    heard.isEverything || query.limit != nil || query.offset > 0
      || heard.keys.count > 64 && heard.keys.count * 2 > rows.count
      // Related objects that nobody holds are read as they are now, the rows' order is of before.
      || !reached.isEmpty && context.isBehind
  }

  /// Fetches all rows; those whose keys are given are told as changed.
  final func fetchAgain(_ changed: Set<Int64> = []) throws {
    try replace(with: try context.fetch(request), changed)
  }

  /// Puts rows in place of all others.
  final func replace(with objects: [Object<Value>], _ changed: Set<Int64> = []) throws {
    var replaced = ListRows<Value>(rows.sections.emptied)
    replaced.fill(objects, sectionKeys: try sectionKeys(of: objects))
    record(ListSplice(from: rows.keys, in: rows.sections, to: replaced, changed: changed))
    rows = replaced
  }

  /// Takes rows out and puts others in.
  final func take(_ splice: ListSplice<Value>) {
    record(splice)
    rows.apply(splice)
  }

  /// What becomes of the rows when some objects have changed.
  ///
  /// - Throws: What reading an object, or those its place depends on, throws.
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
    // Those that changed are not in order; the others are.
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

  /// What section each object belongs to; nothing if there is only one.
  private func sectionKeys(of objects: [Object<Value>]) throws -> [[StoredValue]] {
    guard !sectionPlaces.isEmpty else { return [] }
    return try objects.map { object in
      let row = ContextRow(object, in: context)
      return try sectionPlaces.map { try row.stored(at: $0) }
    }
  }
}

extension LiveList {
  /// Whether what must always hold of the rows does, for tests.
  package final func checkInvariants() -> Bool { rows.checkInvariants() }

  /// How many rows, sections and remembered changes were looked at in following, for tests.
  package final var visitCount: Int { visits.count }
}
