// A context announces to the store the ids of the rows that it reads next. A store that pays a
// round trip for each read can then read them at once.
//
// Rejected: a call that loads many rows, because a file and memory read best one by one, and
// because a row's objects may lie in any context.

/// The ids of the rows of each entity that are read next, one by one.
private struct ExpectedRows {
  private(set) var keys: [[Int64]]

  init(_ model: Model) { keys = Array(repeating: [], count: model.layouts.count) }

  /// Adds a row, unless it is the last one that was added.
  ///
  /// A caller that adds a row twice adds no other row in between.
  mutating func add(_ key: Int64, _ entity: Int) {
    if keys[entity].last != key { keys[entity].append(key) }
  }

  /// Adds rows, of which some may have been added before.
  mutating func add(_ more: Set<Int64>, _ entity: Int) {
    guard !more.isEmpty else { return }
    keys[entity] += more.subtracting(keys[entity]).sorted()
  }
}

extension ObjectContext {
  /// The greatest number of rows that are announced at once.
  private static let expectedAtOnce = 500

  /// Calls a closure for each element, after announcing the rows that the closure reads. They are
  /// those of the objects that `objects` returns, in whatever context the objects are.
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

  /// Announces the rows of some objects, and those of the objects whose deletion has emptied their
  /// references.
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

  /// Announces the rows of objects to which references led before a delete rule emptied them, in
  /// some objects or in copies of them below. The context will read whether those rows are deleted.
  func expectOwners(of objects: some Sequence<GraphObject>) {
    guard family.hasEmptied else { return }
    var rows = ExpectedRows(model)
    addOwners(of: objects, to: &rows)
    // The announcement is a hint. If it fails, reading the rows throws the error.
    try? tell(of: rows)
  }

  /// Announces rows that are read next, except those of which a context, here or above, has an
  /// object.
  func expect(_ wanted: some Collection<Int64>, of entity: Int) throws {
    guard wanted.count > 1, root.store != nil else { return }
    var rows = ExpectedRows(model)
    for key in wanted where tables[entity]?.object(key) == nil && known(key, entity) == nil {
      rows.add(key, entity)
    }
    try tell(of: rows)
  }

  /// Announces the rows of objects that were deleted above, and that a policy decided to keep.
  /// They count as new objects, which keep their bases.
  func expectKept() {
    for (entity, objects) in listed.enumerated() {
      var rows = ExpectedRows(model)
      for object in objects where object.phase == .inserted && object.hasBase {
        if known(object.key, entity) == nil { rows.add(object.key, entity) }
      }
      // The announcement is a hint. If it fails, reading the rows throws the error.
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
