extension ObjectContext {
  /// Takes in what others have committed to the store: other contexts, other processes.
  ///
  /// Objects that are not changed here get the new values, also in the contexts below. Of changed
  /// ones, properties that only the other changed are taken over; what both changed is decided at
  /// the next save. It ends the unit of work.
  public func merge() throws {
    // What a slice has left comes before what is newer.
    if !root.unread.isEmpty { try merge(upTo: .max) }
    try merge(upTo: .max)
  }

  /// Whether others have committed what this context, or the root above it, has not taken in.
  package var hasNews: Bool { hasUnreadRows || !(root.inbox?.isEmpty ?? true) }

  /// Whether others have committed what is not taken in, also what nobody has looked for yet.
  var isBehind: Bool {
    guard let store = root.store else { return false }
    do { try store.lookForOthers() } catch { return true }
    return hasNews
  }

  /// Whether a slice has left rows for the next one.
  package var hasUnreadRows: Bool { !root.unread.isEmpty }

  /// Takes in at most so many rows; whether more wait.
  ///
  /// A row that cannot be read does not keep the others waiting; its error is thrown at the end.
  @discardableResult
  package func merge(upTo limit: Int) throws -> Bool {
    let root = root
    guard let store = root.store, let inbox = root.inbox else { return false }
    root.endMoment()
    if root.unread.isEmpty {
      try store.lookForOthers()
      guard !inbox.isEmpty else { return false }
      root.expect(inbox.take())
    }
    try root.family.operate { try root.takeRows(limit) }
    return root.hasNews
  }

  /// Takes in what others have committed, and reads every object again that is not changed here.
  public func refresh() throws {
    let root = root
    guard root.store != nil else { return }
    try merge()
    var everything = News()
    everything.isEverything = true
    root.expect(everything)
    try root.family.operate { try root.takeRows(.max) }
  }

  /// Several reads of one moment: nothing that others commit meanwhile is seen by some of them only.
  public func read<Result>(_ body: () throws -> Result) rethrows -> Result {
    let root = root
    if root.readDepth == 0 { root.endUnit() }
    root.readDepth += 1
    defer {
      root.readDepth -= 1
      if root.readDepth == 0 { root.endUnit() }
    }
    return try body()
  }

  /// The same inside `read` too, since the store has changed by this context's own doing.
  func endMoment() {
    kept.removeAll()
    reader?.end()
  }

  /// Ends the unit of work: the next read sees the store as it is then.
  func endUnit() {
    kept.removeAll()
    guard parent == nil, readDepth == 0 else { return }
    reader?.end()
  }

  /// Queues the rows that news are about.
  private func expect(_ news: News) {
    for entity in model.layouts.indices {
      if news.isEverything {
        var keys: Set<Int64> = []
        collectLive(entity, into: &keys)
        unread += keys.sorted().map { (entity, $0) }
      } else {
        unread += news.keys(of: entity).map { (entity, $0) }
      }
    }
    if news.isEverything { tellEverything() }
  }

  private func collectLive(_ entity: Int, into keys: inout Set<Int64>) {
    keys.formUnion((tables[entity]?.live ?? []).map(\.key))
    for child in liveChildren { child.collectLive(entity, into: &keys) }
  }

  private func takeRows(_ limit: Int) throws {
    let rows = unread.prefix(limit)
    unread = unread.dropFirst(rows.count)
    var failure: (any Error)?
    for (index, (entity, key)) in rows.enumerated() {
      do {
        try takeRow(key, entity)
      } catch let error as GraphError where error.isAboutOneRow {
        failure = failure ?? error
      } catch {
        // The store cannot be read at the moment: what is left is read by the next merge.
        unread = rows.dropFirst(index) + unread
        throw error
      }
    }
    if let failure { throw failure }
  }

  /// Brings the topmost object with an id up to date; those below follow it.
  private func takeRow(_ key: Int64, _ entity: Int) throws {
    if let table = tables[entity], let object = table.object(key) {
      return try takeRow(object, in: table)
    }
    tell(key, entity)
    for child in liveChildren { try child.takeRow(key, entity) }
  }

  /// Brings an object up to date with its row.
  private func takeRow(_ object: Instance, in table: AnyTable) throws {
    guard object.phase != .inserted, object.phase != .lone else { return }
    guard let reader = try currentReader() else { return }
    let exists = try reader.row(object.key, of: table.entity, into: cells)
    switch object.phase {
    case .clean, .gone:
      guard exists || object.phase == .clean else { return }
      if exists { try table.refresh(object, cells) }
      object.phase = exists ? .clean : .gone
    case .updated where parent == nil && exists:
      try takeOver(table.makeScratch(object.key, cells), by: object)
    case .updated, .deleted:
      // Its own change counts more; a row that is gone is a conflict of the next save.
      object.isOutdated = true
      return
    case .inserted, .lone:
      return
    }
    if table.isWatched { didChange(object) }
  }

  /// Brings an object that was put back into an earlier state to where others are by now.
  func catchUp(_ object: Instance, in table: AnyTable) {
    guard object.phase != .inserted else { return }
    object.isOutdated = object.covers
    guard object.phase != .deleted else { return }
    do {
      let above = try above(object.key, table.entity)
      if let above, !above.isDeleted {
        if object.phase == .updated { return takeOver(above, by: object) }
        object.phase = .clean
        object.copyValue(of: above)
      } else if object.phase == .clean, parent != nil || store != nil {
        object.phase = .gone
      }
    } catch {
      object.report(error)
    }
  }

  /// The nearest object with an id above this context, or one of nobody's with the store's row.
  func above(_ key: Int64, _ entity: Int) throws -> Instance? {
    if let above = known(key, entity) { return above }
    guard let reader = try currentReader(), try reader.row(key, of: entity, into: cells) else {
      return nil
    }
    return try table(entity).makeScratch(key, cells)
  }

  /// Takes the properties that only the other changed.
  private func takeOver(_ theirs: Instance, by object: Instance) {
    let layout = object.layout
    let compared = object.withValue { mine in
      object.withBase { base in
        theirs.withValue { ThreeWay(layout, base: base, mine: mine, theirs: $0) }
      }
    }
    if !compared.both.isEmpty { object.isOutdated = true }
    theirs.withValue { theirs in
      object.lend { mine, base in
        for column in compared.theirs {
          layout.columns[column].assign(from: theirs, to: mine)
          if let base { layout.columns[column].assign(from: theirs, to: base) }
        }
      }
    }
  }
}

extension News {
  /// The rows of an entity that were touched or deleted, oldest first.
  func keys(of entity: Int) -> [Int64] {
    (touched[entity] ?? []).union(deleted[entity] ?? []).sorted()
  }
}
