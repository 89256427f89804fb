#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// One opening of a store on a server, which runs on a thread of its own.
struct ServerOpener {
  let options: PostgresOptions
  let migrator: Migrator
  private let connecting: Connecting
  private let schema: StoreSchema

  init(_ options: PostgresOptions, _ migrator: Migrator) throws {
    self.options = options
    self.migrator = migrator
    connecting = try Connecting(options)
    schema = StoreSchema(migrator.model, options)
  }

  private var deadline: Deadline { Deadline(in: options.statementTimeout) }

  func run() throws -> Opening<PostgresStore> {
    do {
      // A migration may take longer than a commit.
      return try open(connecting.connect(withSettings: false))
    } catch let fault as ServerFault {
      throw Refusal(opening(for: fault))
    }
  }

  private func open(_ connection: ServerConnection) throws -> Opening<PostgresStore> {
    try checkServer(connection)
    let gate = ServerGate(
      options: options, connection: connection, cancellation: migrator.cancellation)
    let mayChange = options.schemaManagement == .create
    var wasCreated = false
    var found = try gate.state()
    if found == nil {
      guard mayChange else { throw Refusal(.missing) }
      wasCreated = try create(gate)
      found = try gate.state()
    }
    guard let state = found else { throw Refusal(.notAStore) }
    guard migrator.version >= state.oldest else {
      throw Refusal(.newer(found: state.schema.version, known: migrator.version))
    }
    let hash = schema.shape.hash
    let fits = state.fits(migrator.version, hash)
    // An older program leaves the newer one's indexes as they are.
    let builder = IndexBuilder(
      schema: schema, gate: gate,
      mayBuild: mayChange && (!fits || state.schema.hashes.last == hash),
      progress: migrator.progress)
    var migrated: Migrated?
    if !fits {
      try migrator.refuseChanges(state.schema, schema.shape, hash, isReadOnly: false)
      guard mayChange else { throw try mustBeMigrated(state) }
      migrated = try ServerMigration(
        migrator: migrator, schema: schema, gate: gate, builder: builder
      ).run(state)
    }
    try check(connection, builder)
    try ServerWarnings(schema: schema, options: options).tell(connection, deadline)
    let store = PostgresStore(options, migrator.model, connecting, state.id, migrator.version)
    try store.server.news.begin(on: connection, until: deadline)
    if wasCreated { return .created(store) }
    return migrated.map { .migrated(store, $0) } ?? .ready(store)
  }

  /// Throws a refusal, in words, if the server has not what a store needs.
  private func checkServer(_ connection: ServerConnection) throws {
    guard connection.serverVersion >= 130_000 else {
      throw refusal("PostgreSQL \(connection.serverVersion / 10_000) is too old; 13 is needed")
    }
    let result = try connection.run(
      "SELECT current_setting('server_encoding'), pg_is_in_recovery(),"
        + " current_setting('transaction_read_only'), current_setting('session_replication_role')",
      until: deadline)
    let encoding = result.cell(0, 0).stored.text ?? ""
    guard encoding == "UTF8" else {
      throw refusal("the database keeps texts in \(encoding), and must keep them in UTF8")
    }
    guard result.cell(0, 1).integer == 0 else {
      throw refusal("the server is a replica, which cannot tell what was committed")
    }
    guard result.cell(0, 2).stored.text == "off" else {
      throw refusal("the role or the database only reads (default_transaction_read_only is on)")
    }
    guard result.cell(0, 3).stored.text == "origin" else {
      throw refusal("session_replication_role is not origin, so no reference is checked")
    }
  }

  private func refusal(_ message: String) -> Refusal {
    Refusal(.failed(GraphError("open the store", .other(message))))
  }

  /// Completes what a migration has left for later, and compares the tables with the schema.
  private func check(_ connection: ServerConnection, _ builder: IndexBuilder) throws {
    func read() throws -> ServerCatalog {
      try ServerCatalog(schema.schema, connection, until: deadline)
    }
    var catalog = try read()
    if try builder.finish(catalog) { catalog = try read() }
    let lacking = try connection.run([TableCheck.privileges(schema)], until: deadline)[0]
    var tables = TableCheck(schema, catalog)
    try tables.run(lacking: lacking)
  }

  /// Returns the refusal of a program that may not change tables.
  private func mustBeMigrated(_ state: StoreState) throws -> Refusal {
    let message = "must be done by a program that may change tables"
    let plan = try migrator.plan(from: state.schema, to: schema.shape)
    let steps =
      migrator.hasSteps(from: state.schema.version)
      ? ["the migration to version \(migrator.version)"] : plan.actions.map(\.description)
    return Refusal(
      .changed(steps.map { SchemaChange(entity: $0, property: nil, message: message) }))
  }

  /// Creates all tables. Returns false if another opening has created them meanwhile.
  private func create(_ gate: ServerGate) throws -> Bool {
    let (shape, id) = (schema.shape, UUID().uuidString.lowercased())
    let state: [StoredValue] = [
      .text(id), .text(try shape.text), .text(shape.hash), .integer(Int64(migrator.version)),
    ]
    let statements =
      schema.creation.map { ServerStatement($0, isKept: false) }
      + [ServerStatement(schema.firstState, state), ServerStatement(schema.firstEpoch)]
    do {
      _ = try gate.close(isNew: true) { try gate.run(statements) }
      return true
    } catch let fault as ServerFault
      where ["42P07", "42P06", "42723", "23505"].contains(fault.state)
    {
      // Another opening was faster.
      guard try gate.state() != nil else { throw fault }
      return false
    }
  }

  private func opening(for fault: ServerFault) -> Opening<Never> {
    switch fault.state {
    case "55P03": .locked(seconds: options.lockTimeout)
    case "42501": .noPermission(fault.message)
    default: .failed(fault.error("open the store", options))
    }
  }
}
#endif
