// A context announces to the store the ids of the rows that it reads next. A store on a network can
// then read all of them in one round trip.
//
// Rejected: a call that returns many rows. A store in a file or in memory reads rows best one by
// one, and the objects of the rows may be in different contexts.

/// The ids of the rows that the context will read next, for each entity.
private struct ExpectedRows {
  private(set) var keys: [[Int64]]

  init(_ model: Model) { keys = Array(repeating: [], count: model.layouts.count) }

  /// Adds a row, unless it is the last row in the list.
  ///
  /// Only consecutive calls name the same row, so this check is enough to add each row once.
  mutating func add(_ key: Int64, _ entity: Int) {
    if keys[entity].last != key { keys[entity].append(key) }
  }

  /// Adds rows, except rows that are already in the list.
  mutating func add(_ more: Set<Int64>, _ entity: Int) {
    guard !more.isEmpty else { return }
    keys[entity] += more.subtracting(keys[entity]).sorted()
  }
}

extension ObjectContext {
  /// Calls a closure with each element. Before that, announces the rows that the closure will read.
  /// These are the rows of the objects that `objects` returns for the elements.
  func forEachExpecting<Element>(
    _ elements: [Element], objects: (Element) -> [GraphObject], _ body: (Element) throws -> Void
  ) throws {
    var start = 0
    while start < elements.count {
      let piece = elements[start..<min(start + StoreSession.announcedAtOnce, elements.count)]
      if piece.count > 1 { try announceRows(of: piece.lazy.map(objects)) }
      for element in piece { try body(element) }
      start += StoreSession.announcedAtOnce
    }
  }

  /// Announces the rows of objects to the store. If a delete rule has set references of these
  /// objects to nil, also announces the rows to which the references led.
  private func announceRows(of groups: some Sequence<[GraphObject]>) throws {
    var rows = ExpectedRows(model)
    for objects in groups {
      for object in objects where !object.wasNeverSaved {
        if case .table(let table) = object.home { rows.add(object.key, table.entity) }
      }
    }
    if family.hasEmptied { addOwners(of: groups.joined(), to: &rows) }
    try announce(rows)
  }

  /// Announces the rows of owners. An owner is an object whose deletion has set references of the
  /// given objects to nil. The context reads these rows next, to learn whether the store still has
  /// the owners.
  func announceOwners(of objects: some Sequence<GraphObject>) {
    guard family.hasEmptied else { return }
    var rows = ExpectedRows(model)
    addOwners(of: objects, to: &rows)
    // The announcement is only a hint. If it fails, the later read of a row throws the error.
    try? announce(rows)
  }

  /// Announces rows that the context reads next. Rows that have an object in this context or a
  /// context above are left out.
  func announce(_ wanted: some Collection<Int64>, of entity: Int) throws {
    guard wanted.count > 1, session.store != nil else { return }
    var rows = ExpectedRows(model)
    for key in wanted where held(key, entity) == nil && known(key, entity) == nil {
      rows.add(key, entity)
    }
    try announce(rows)
  }

  /// Announces the rows of kept objects. A kept object was deleted in the parent or the store, and
  /// the policy decided to insert it again.
  func announceKept() {
    for (entity, objects) in changes.lists.enumerated() {
      var rows = ExpectedRows(model)
      for object in objects where object.phase == .inserted && object.hasBase {
        if known(object.key, entity) == nil { rows.add(object.key, entity) }
      }
      // The announcement is only a hint. If it fails, the later read of a row throws the error.
      try? announce(rows)
    }
  }

  private func announce(_ rows: ExpectedRows) throws {
    for (entity, keys) in rows.keys.enumerated() { try session.announce(keys, of: entity) }
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
    if let object = held(key, entity), let base = object.base, !base.emptied.isEmpty {
      let layout = object.layout
      for column in layout.referenceColumns where base.emptied.contains(column) {
        guard let target = layout.columns[column].target.flatMap(model.index(of:)),
          let owner = base.target(of: column)
        else { continue }
        owners[target].insert(owner)
      }
    }
    for child in children.living { child.collectOwners(of: key, entity, into: &owners) }
  }
}
