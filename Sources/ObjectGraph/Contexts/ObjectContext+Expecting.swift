// A store far away is told which rows are read next by their ids, so that it can read them at once.

/// The ids of rows that are read next, one by one, for each entity.
private struct ExpectedRows {
  private(set) var keys: [[Int64]]

  init(_ model: Model) { keys = Array(repeating: [], count: model.layouts.count) }

  /// Adds a row, unless it is the last one that was added.
  ///
  /// A caller that adds a row twice adds no other row in between.
  mutating func add(_ key: Int64, _ entity: Int) {
    if keys[entity].last != key { keys[entity].append(key) }
  }

  /// Adds rows that may be there already.
  mutating func add(_ more: Set<Int64>, _ entity: Int) {
    guard !more.isEmpty else { return }
    keys[entity] += more.subtracting(keys[entity]).sorted()
  }
}

extension ObjectContext {
  /// The number of rows that the store is told of at once.
  private static let expectedAtOnce = 500

  /// Calls a closure for each element, after the store was told of the rows which that reads: those of
  /// the objects that `objects` returns, in whatever context they are.
  func forEachExpecting<Element>(
    _ elements: [Element], objects: (Element) -> [GraphObject], _ body: (Element) throws -> Void
  ) throws {
    var start = 0
    while start < elements.count {
      let piece = elements[start..<min(start + Self.expectedAtOnce, elements.count)]
      if piece.count > 1 { try expectRows(of: piece.lazy.map(objects)) }
      for element in piece { try body(element) }
      start += Self.expectedAtOnce
    }
  }

  /// Tells the store that it will be asked for the rows of some objects next, and for those of the
  /// objects whose deletion has emptied their references.
  private func expectRows(of groups: some Sequence<[GraphObject]>) throws {
    var rows = ExpectedRows(model)
    for objects in groups {
      for object in objects where !object.wasNeverSaved {
        if case .table(let table) = object.home { rows.add(object.key, table.entity) }
      }
    }
    if family.hasEmptied { addOwners(of: groups.joined(), to: &rows) }
    try tell(of: rows)
  }

  /// Tells the store that it will be asked whether objects are deleted to which references led that
  /// a delete rule has emptied, in some objects or in copies of them below.
  func expectOwners(of objects: some Sequence<GraphObject>) {
    guard family.hasEmptied else { return }
    var rows = ExpectedRows(model)
    addOwners(of: objects, to: &rows)
    // It is a hint: the reading of the rows tells of the error.
    try? tell(of: rows)
  }

  /// Tells the store of rows that are read next, as far as no context above has an object of them.
  func expect(_ wanted: some Collection<Int64>, of entity: Int) throws {
    guard wanted.count > 1, root.store != nil else { return }
    var rows = ExpectedRows(model)
    for key in wanted where tables[entity]?.object(key) == nil && known(key, entity) == nil {
      rows.add(key, entity)
    }
    try tell(of: rows)
  }

  /// Tells the store of the objects that were kept over a deletion.
  func expectKept() {
    for (entity, objects) in listed.enumerated() {
      var rows = ExpectedRows(model)
      for object in objects where object.phase == .inserted && object.hasBase {
        if known(object.key, entity) == nil { rows.add(object.key, entity) }
      }
      // It is a hint: the reading of the rows tells of the error.
      try? tell(of: rows)
    }
  }

  private func tell(of rows: ExpectedRows) throws {
    for (entity, keys) in rows.keys.enumerated() where keys.count > 1 {
      guard let reader = try currentReader() else { return }
      for start in stride(from: 0, to: keys.count, by: Self.expectedAtOnce) {
        reader.expect(
          Array(keys[start..<min(start + Self.expectedAtOnce, keys.count)]), of: entity)
      }
    }
  }

  private func addOwners(of objects: some Sequence<GraphObject>, to rows: inout ExpectedRows) {
    var owners = [Set<Int64>](repeating: [], count: model.layouts.count)
    for object in objects {
      guard case .table(let table) = object.home else { continue }
      table.context?.collectOwners(of: object.key, table.entity, into: &owners)
    }
    for (entity, keys) in owners.enumerated() { rows.add(keys, entity) }
  }

  private func collectOwners(of key: Int64, _ entity: Int, into owners: inout [Set<Int64>]) {
    if let object = tables[entity]?.object(key), let base = object.base, !base.emptied.isEmpty {
      let layout = object.layout
      for column in layout.referenceColumns where base.emptied.contains(column) {
        guard let target = layout.columns[column].target.flatMap(model.index(of:)),
          let owner = base.target(of: column)
        else { continue }
        owners[target].insert(owner)
      }
    }
    for child in liveChildren { child.collectOwners(of: key, entity, into: &owners) }
  }
}
