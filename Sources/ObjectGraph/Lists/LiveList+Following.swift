/// What a list has heard and not taken in yet.
struct ListNews {
  /// Objects of the list's entity.
  var keys: Set<Int64> = []
  /// Whether anything may have changed, so that rows must be fetched.
  var isEverything = false

  var isEmpty: Bool { keys.isEmpty && !isEverything }
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

  package final func settle() {
    absorb(isRetrying: true)
    tell()
  }
}

extension LiveList {
  /// Takes in what was heard, unless that has failed and nothing has happened since.
  final func absorb(isRetrying: Bool = false) {
    guard problem == nil || isRetrying else { return }
    do {
      try context.hearForList()
      guard !news.isEmpty else { return problem = nil }
      try takeIn()
      news = ListNews()
      problem = nil
    } catch {
      problem = error
    }
  }

  /// Whether what is known of changes does not say enough, so that rows must be fetched.
  final var needsFetch: Bool {
    news.isEverything || query.limit != nil || query.offset > 0
      || news.keys.count > 64 && news.keys.count * 2 > rows.count
      // Related objects that nobody holds are read as they are now, the rows' order is of before.
      || !reached.isEmpty && context.isBehind
  }

  /// Fetches all rows.
  final func fetchAgain() throws { try replace(with: try context.fetch(request)) }

  /// Puts rows in place of all others.
  final func replace(with objects: [Object<Value>]) throws {
    var replaced = ListRows<Value>(rows.sections.emptied)
    replaced.fill(objects, sectionKeys: try sectionKeys(of: objects))
    record(ListSplice(from: rows.keys, in: rows.sections, to: replaced, changed: news.keys))
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
    let removed = Gaps(rows.positions(of: keys))
    var added: [(row: ContextRow, rank: Sorter.Rank)] = []
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
      places: Gaps(places), sectionKeys: try sectionKeys(of: objects), changed: keys)
  }

  /// What section each object belongs to; nothing if there is only one.
  private func sectionKeys(of objects: [Object<Value>]) throws -> [[Stored]] {
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
