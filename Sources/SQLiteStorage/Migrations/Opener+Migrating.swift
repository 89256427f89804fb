import ObjectGraph

extension Opener {
  /// Makes the file's schema that of the program; nil if it is already.
  func bringUpToDate(
    _ metadata: inout Metadata, _ connection: Connection, isReadOnly: Bool
  ) throws -> Migrated? {
    let wanted = SchemaShape(model)
    let hash = wanted.hash
    if metadata.hashes.last == hash, metadata.version == version {
      try checkTables(wanted, metadata, connection)
      return nil
    }
    try refuseChanges(metadata, wanted, hash, isReadOnly: isReadOnly)
    return try migrate(&metadata, to: wanted, hash, connection)
  }

  /// Refuses another schema where that is known before anything is written.
  func refuseChanges(
    _ metadata: Metadata, _ wanted: SchemaShape, _ hash: String, isReadOnly: Bool
  ) throws {
    try refuseNewer(metadata, hash)
    let old = try SchemaShape(text: metadata.schema)
    guard metadata.version == version || isReadOnly else { return }
    let plan = plan(from: old, to: wanted, mayTighten: false)
    guard plan.changes.isEmpty else { throw Refusal(opening: .changed(plan.changes)) }
    if isReadOnly {
      throw Refusal(
        opening: .changed(
          plan.actions.map {
            SchemaChange(
              entity: "\($0)", property: nil, message: "cannot be done: the file is read-only")
          }))
    }
  }

  private func refuseNewer(_ metadata: Metadata, _ hash: String) throws {
    let isNewer =
      metadata.version > version
      || metadata.version == version && metadata.hashes.dropLast().contains(hash)
    if isNewer {
      throw Refusal(opening: .newer(found: metadata.version, known: version))
    }
  }

  func plan(from old: SchemaShape, to new: SchemaShape, mayTighten: Bool) -> SchemaPlan {
    var formerly: [String: [String: String]] = [:]
    for layout in model.layouts {
      for column in layout.columns {
        if let name = column.formerly { formerly[layout.name, default: [:]][column.name] = name }
      }
    }
    return SchemaPlan(from: old, to: new, formerly: formerly, mayTighten: mayTighten)
  }

  /// Whether somebody else changed the tables, when SQLite's count says so.
  private func checkTables(
    _ wanted: SchemaShape, _ metadata: Metadata, _ connection: Connection
  ) throws {
    let cookie = try connection.value("PRAGMA schema_version")
    guard cookie != .integer(Int64(metadata.cookie)) else { return }
    let found = try SchemaShape(connection, like: wanted)
    for table in wanted.tables {
      guard let existing = found.table(table.name) else {
        throw Refusal(opening: .damaged("the table \(table.name) is missing"))
      }
      for column in table.columns where existing.column(column.name)?.storage != column.storage {
        throw Refusal(
          opening: .damaged(
            "\(table.name).\(column.name) is missing or has another type"))
      }
    }
  }

  // MARK: Writing

  private func migrate(
    _ metadata: inout Metadata, to wanted: SchemaShape, _ hash: String, _ connection: Connection
  ) throws -> Migrated {
    try connection.run("PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL")
    if let pages = options.maximumPages {
      try connection.run("PRAGMA max_page_count = \(pages)")
    }
    // Steps may use views, and triggers of entities may.
    connection.readsViews(true)
    defer { connection.readsViews(false) }
    do {
      let migrated = try connection.cancellable(cancellation) {
        try connection.run("BEGIN IMMEDIATE")
        // Another process may have been faster.
        guard let now = try Metadata(connection) else {
          throw Refusal(opening: .damaged("lineage_store is incomplete"))
        }
        metadata = now
        try refuseNewer(metadata, hash)
        let from = metadata.version
        var steps: [String] = []
        if metadata.hashes.last != hash || from != version {
          // Tables that somebody else added are nobody's leftovers.
          let known = try SchemaShape(text: metadata.schema)
          let foreign = Set(
            try SchemaShape(connection, like: wanted).tables.map(\.name)
              .filter { known.table($0) == nil && wanted.table($0) == nil })
          steps = try runSteps(from: from, connection)
          steps += try fit(
            wanted, metadata, hasRunSteps: !steps.isEmpty, without: foreign, connection)
          metadata.version = version
          metadata.schema = try wanted.text
          metadata.hashes = metadata.hashes.filter { $0 != hash } + [hash]
          if case .integer(let cookie) = try connection.value("PRAGMA schema_version") {
            metadata.cookie = Int(cookie)
          }
          try metadata.write(to: connection)
          try connection.run("PRAGMA user_version = \(version)")
          if migrations.contains(where: { $0.version > from }) { try checkReferences(connection) }
          // Whoever has the file open reads all again.
          try connection.run(
            "INSERT INTO lineage_log (writer, changes) VALUES (0, NULL)", [])
          metadata.generation = connection.lastInsertedID
        }
        try cancellation.check()
        try connection.run("COMMIT")
        return Migrated(from: from, to: version, steps: steps)
      }
      return migrated
    } catch {
      connection.rollBack()
      if cancellation.isCancelled { throw CancellationError() }
      throw error
    }
  }

  private func runSteps(from old: Int, _ connection: Connection) throws -> [String] {
    let steps = migrations.filter { $0.version > old }
    for (index, step) in steps.enumerated() {
      try cancellation.check()
      progress(OpeningProgress(step: step.name, number: index + 1, count: steps.count))
      do {
        try step.body(MigrationContext(connection, cancellation))
      } catch {
        try cancellation.check()
        // What the disk says is no fault of the step.
        if let error = error as? GraphError, case .full = error.reason { throw error }
        throw Refusal(opening: .stepFailed(version: step.version, "\(error)"))
      }
    }
    return steps.map(\.name)
  }

  private func checkReferences(_ connection: Connection) throws {
    guard let row = try connection.rows("PRAGMA foreign_key_check").first else { return }
    guard case .text(let table) = row[0], case .integer(let id) = row[1],
      case .text(let target) = row[2]
    else { throw Refusal(opening: .damaged("a reference leads nowhere")) }
    throw Refusal(
      opening: .stepFailed(version: version, "\(table)/\(id) refers to a \(target) that is gone"))
  }
}
