extension ObjectContext {
  /// Takes in what others have committed to the store: other contexts, other processes.
  ///
  /// Objects that are not changed here get the new values, also in the contexts below. Of changed
  /// ones, properties that only the other changed are taken over; what both changed is decided at
  /// the next save. It ends the unit of work.
  public func merge() throws {
    let root = root
    guard let store = root.store, let inbox = root.inbox else { return }
    root.endUnit()
    try store.lookForOthers()
    guard !inbox.isEmpty else { return }
    try root.family.operate { try root.take(inbox.take()) }
  }

  /// Takes in what others have committed, and reads every object again that is not changed here.
  public func refresh() throws {
    let root = root
    guard root.store != nil else { return }
    try merge()
    var everything = News()
    everything.isEverything = true
    try root.family.operate { try root.take(everything) }
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

  /// Ends the unit of work: the next read sees the store as it is then.
  func endUnit() {
    kept.removeAll()
    guard parent == nil, readDepth == 0 else { return }
    reader?.end()
  }

  private func take(_ news: News) throws {
    for entity in model.layouts.indices {
      guard let table = tables[entity] else { continue }
      if news.isEverything {
        for object in table.live { try takeRow(object, in: table) }
      } else {
        for key in news.keys(of: entity) {
          if let object = table.object(key) { try takeRow(object, in: table) }
        }
      }
    }
    try takeBelow(news)
    if news.isEverything { tellEverything() } else { tellOfRows(news) }
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
    case .updated:
      // A row that is gone is a conflict of the next save.
      guard exists else { return }
      try takeOver(table.makeScratch(object.key, cells), by: object)
    case .deleted, .inserted, .lone:
      return
    }
    if table.isWatched { didChange(object) }
  }

  /// Takes the properties that only the other changed.
  private func takeOver(_ theirs: Instance, by object: Instance) {
    let layout = object.layout
    let compared = object.withValue { mine in
      object.withBase { base in
        theirs.withValue { ThreeWay(layout, base: base, mine: mine, theirs: $0) }
      }
    }
    theirs.withValue { theirs in
      object.withMemory { mine in
        object.withBaseMemory { base in
          for column in compared.theirs {
            layout.columns[column].assign(from: theirs, to: mine)
            if let base { layout.columns[column].assign(from: theirs, to: base) }
          }
        }
      }
    }
  }

  /// Copies below of objects that this context does not hold itself.
  private func takeBelow(_ news: News) throws {
    for child in liveChildren {
      for entity in model.layouts.indices {
        guard let table = child.tables[entity] else { continue }
        let keys: [Int64] =
          news.isEverything
          ? table.live.map(\.key)
          : news.keys(of: entity)
        for key in keys where tables[entity]?.object(key) == nil {
          if let object = table.object(key) { try child.takeRow(object, in: table) }
        }
      }
      try child.takeBelow(news)
    }
  }

  /// Tells lists of rows, whether there are objects of them or not.
  private func tellOfRows(_ news: News) {
    if !followers.isEmpty {
      for entity in model.layouts.indices {
        for key in news.keys(of: entity) { tell(key, entity) }
      }
    }
    for child in liveChildren { child.tellOfRows(news) }
  }
}

extension News {
  /// The rows of an entity that were touched or deleted, oldest first.
  func keys(of entity: Int) -> [Int64] {
    (touched[entity] ?? []).union(deleted[entity] ?? []).sorted()
  }
}
