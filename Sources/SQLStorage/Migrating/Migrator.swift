package import ObjectGraph

/// The order of the steps that update a store's schema, and the reasons to refuse the store.
///
/// The store's ``SQLSession`` performs each step.
package struct Migrator: Sendable {
  package let model: Model
  package let cancellation: Cancellation
  package let progress: @Sendable (OpeningProgress) -> Void
  private let migrations: [Migration]

  package init(
    _ model: Model, _ migrations: [Migration], cancellation: Cancellation,
    progress: @escaping @Sendable (OpeningProgress) -> Void
  ) {
    self.model = model
    self.migrations = migrations.sorted { $0.version < $1.version }
    self.cancellation = cancellation
    self.progress = progress
  }

  /// The version of the program's schema: the version of its last migration, or 1 without
  /// migrations.
  package var version: Int { migrations.last.map(\.version) ?? 1 }

  /// Returns whether the program has steps for a store of an older version.
  package func hasSteps(from old: Int) -> Bool { migrations.contains { $0.version > old } }

  /// Returns whether a store already has the wanted schema.
  package func isUpToDate(_ record: SchemaRecord, _ hash: String) -> Bool {
    record.hashes.last == hash && record.version == version
  }

  // MARK: Refusing

  /// Throws a refusal if the store cannot be updated to the wanted schema. Checks only reasons that
  /// can be known before anything is written.
  package func refuseChanges(
    _ record: SchemaRecord, _ wanted: SchemaShape, _ hash: String, isReadOnly: Bool
  ) throws {
    try refuseNewer(record, hash)
    guard record.version == version || isReadOnly else { return }
    let plan = try plan(from: record, to: wanted)
    guard plan.changes.isEmpty else { throw Refusal(.changed(plan.changes)) }
    guard isReadOnly else { return }
    let message = "cannot be done: the file is read-only"
    throw Refusal(
      .changed(plan.actions.map { SchemaChange(entity: "\($0)", property: nil, message: message) }))
  }

  /// Throws a refusal if a newer program wrote the store, even if both programs have the same
  /// version.
  package func refuseNewer(_ record: SchemaRecord, _ hash: String) throws {
    guard record.version <= version,
      record.version < version || !record.hashes.dropLast().contains(hash)
    else { throw Refusal(.newer(found: record.version, known: version)) }
  }

  // MARK: Writing

  /// Runs the program's steps, then makes the changes that need no step. Returns a line for each
  /// step and each change, and updates the record to the wanted schema.
  ///
  /// If the store is up to date, its tables are not changed.
  package func bring(
    _ record: inout SchemaRecord, to wanted: SchemaShape, _ hash: String, in session: any SQLSession
  ) throws -> [String] {
    // Tables that another program added do not count, because they are not from an older schema.
    let known = try SchemaShape(text: record.schema)
    let foreign = Set(
      try session.shape(like: wanted).tables.map(\.name)
        .filter { known.table($0) == nil && wanted.table($0) == nil })
    var steps = try runSteps(from: record.version, in: session)
    var old = steps.isEmpty ? known : try session.shape(like: wanted)
    old.tables.removeAll { foreign.contains($0.name) }
    steps += try fit(old, to: wanted, mayTighten: !steps.isEmpty, in: session)
    record.version = version
    record.schema = try wanted.text
    record.hashes = record.hashes.filter { $0 != hash } + [hash]
    return steps
  }

  private func runSteps(from old: Int, in session: any SQLSession) throws -> [String] {
    let steps = migrations.filter { $0.version > old }
    for (index, step) in steps.enumerated() {
      try cancellation.check()
      progress(OpeningProgress(step: step.name, number: index + 1, count: steps.count))
      do {
        try step.body(MigrationContext(session))
      } catch {
        try cancellation.check()
        // A full disk is not a fault of the step.
        if let error = error as? GraphError, case .full = error.reason { throw error }
        throw Refusal(.stepFailed(version: step.version, "\(error)"))
      }
    }
    return steps.map(\.name)
  }

  private func fit(
    _ old: SchemaShape, to wanted: SchemaShape, mayTighten: Bool, in session: any SQLSession
  ) throws -> [String] {
    let plan = plan(from: old, to: wanted, mayTighten: mayTighten)
    guard plan.changes.isEmpty else { throw Refusal(.changed(plan.changes)) }
    for (index, action) in plan.actions.enumerated() {
      try cancellation.check()
      progress(OpeningProgress(step: "\(action)", number: index + 1, count: plan.actions.count))
      try session.perform(action)
    }
    return plan.actions.map(\.description)
  }

  /// Returns the changes of a store without the program's steps.
  package func plan(from record: SchemaRecord, to wanted: SchemaShape) throws -> SchemaPlan {
    plan(from: try SchemaShape(text: record.schema), to: wanted, mayTighten: false)
  }

  private func plan(from old: SchemaShape, to new: SchemaShape, mayTighten: Bool) -> SchemaPlan {
    var formerly: [String: [String: String]] = [:]
    for layout in model.layouts {
      for column in layout.columns {
        if let name = column.formerly { formerly[layout.name, default: [:]][column.name] = name }
      }
    }
    return SchemaPlan(from: old, to: new, formerly: formerly, mayTighten: mayTighten)
  }
}
