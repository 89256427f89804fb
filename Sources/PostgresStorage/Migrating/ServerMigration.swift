#if Postgres
import ObjectGraph
import SQLStorage

/// The migration of a store on a server to the program's schema, while older programs use it.
struct ServerMigration {
  let migrator: Migrator
  let schema: StoreSchema
  let gate: ServerGate
  let builder: IndexBuilder

  private var hash: String { schema.shape.hash }

  /// Gives the store the program's schema, and returns the steps that were run. Returns nil if another
  /// program has done it meanwhile.
  func run(_ state: StoreState) throws -> Migrated? {
    try buildUniqueIndexes(state)
    return try gate.close { () throws -> Migrated? in
      let found = try gate.run(StoreState.query(schema.own))
      guard let now = StoreState(found) else { throw Refusal(.notAStore) }
      if now.fits(migrator.version, hash) { return nil }
      return try migrate(now)
    }
  }

  /// Builds the unique indexes over properties that older programs have, so that the gate is not closed
  /// meanwhile. If a step runs first, it may have to change their values.
  private func buildUniqueIndexes(_ state: StoreState) throws {
    guard !migrator.hasSteps(from: state.schema.version) else { return }
    let old = try SchemaShape(text: state.schema.schema)
    let plan = try migrator.plan(from: state.schema, to: schema.shape)
    for case .index(let table, let index) in plan.actions where index.isUnique {
      guard let before = old.table(table), let shape = schema.shape.table(table),
        index.properties.allSatisfy({ before.column($0) != nil }),
        !before.allIndexes.contains(where: { $0.properties == index.properties })
      else { continue }
      try builder.build(index, of: shape)
    }
  }

  private func migrate(_ old: StoreState) throws -> Migrated {
    try migrator.refuseChanges(old.schema, schema.shape, hash, isReadOnly: false)
    let (from, known) = (old.schema.version, try SchemaShape(text: old.schema.schema))
    let hasSteps = migrator.hasSteps(from: from)
    if hasSteps, !known.tables.isEmpty {
      // Programs of other kinds may use the tables. If they keep one, no step has run in vain.
      let names = known.tables.map(schema.name).joined(separator: ", ")
      try gate.run("LOCK TABLE \(names) IN ACCESS EXCLUSIVE MODE")
    }
    var record = old.schema
    let session = ServerSession(gate, schema, hasSteps: hasSteps)
    let steps: [String]
    do {
      steps = try migrator.bring(&record, to: schema.shape, hash, in: session)
      try session.addReferences()
      try session.checkReferences()
    } catch let fault as ServerFault where fault.isForeignKey {
      throw Refusal(.stepFailed(version: migrator.version, fault.message))
    } catch let refusal as Refusal {
      // Neither a lost connection nor a lock of another program is a fault of the step.
      if let fault = session.fault, fault.isLost || fault.isTurnedAway || fault.state == "55P03" {
        throw fault
      }
      throw refusal
    }
    if hasSteps || !schema.shape.extends(known) {
      record.hashes.insert(StoreState.bar, at: record.hashes.count - 1)
    }
    try write(record, oldest: hasSteps ? migrator.version : old.oldest, tellsAll: hasSteps)
    return Migrated(from: from, to: migrator.version, steps: steps)
  }

  private func write(_ record: SchemaRecord, oldest: Int, tellsAll: Bool) throws {
    let values: [StoredValue] = [
      .integer(Int64(record.version)), .text(record.schema),
      .text(record.hashes.joined(separator: " ")), .integer(Int64(oldest)),
    ]
    var statements = [
      ServerStatement(
        "UPDATE \(schema.own).state SET schema_version = $1, schema_shape = $2,"
          + " schema_hashes = $3, oldest = $4, gate = '-infinity'", values)
    ]
    if tellsAll {
      // A row without ids makes other programs read everything again.
      statements.append(
        ServerStatement("INSERT INTO \(schema.own).log (id) VALUES (gen_random_uuid())"))
    }
    try gate.run(statements)
  }
}
#endif
