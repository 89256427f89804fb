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
      let connection = try connecting.connect()
      return try open(connection)
    } catch let fault as ServerFault {
      throw Refusal(opening(for: fault))
    }
  }

  private func open(_ connection: ServerConnection) throws -> Opening<PostgresStore> {
    try ServerCheck(options, connection, deadline).run()
    var wasCreated = false
    var record = try read(connection)
    if record == nil {
      guard options.schemaManagement == .create else { throw Refusal(.missing) }
      wasCreated = try create(connection)
      record = try read(connection)
    }
    guard let record else { throw Refusal(.notAStore) }
    try migrator.refuseChanges(
      record.schema, schema.shape, schema.shape.hash, isReadOnly: false)
    guard migrator.isUpToDate(record.schema, schema.shape.hash) else {
      throw Refusal(.changed([]))
    }
    var tables = TableCheck(schema, options, connection)
    try tables.run()
    let store = PostgresStore(options, migrator.model, connecting, record)
    try store.server.news.begin(on: connection, until: deadline)
    return wasCreated ? .created(store) : .ready(store)
  }

  // MARK: State

  /// Returns the state of the store; nil if the schema has none.
  private func read(_ connection: ServerConnection) throws -> StoreState? {
    do {
      let result = try connection.run(
        "SELECT store, schema_version, schema_shape, schema_hashes FROM \(schema.own).state",
        until: deadline)
      return StoreState(result)
    } catch let fault as ServerFault where ["42P01", "3F000"].contains(fault.state) {
      return nil
    }
  }

  /// Creates all tables. Returns false if another opening has created them meanwhile.
  private func create(_ connection: ServerConnection) throws -> Bool {
    let lock = "lineage:\(options.schema)"
    var parameters = ServerParameters()
    parameters.add(.text(lock))
    var state = ServerParameters()
    let shape = schema.shape
    for value in [UUID().uuidString.lowercased(), try shape.text, shape.hash] {
      state.add(.text(value))
    }
    state.add(.integer(Int64(migrator.version)))
    let statements =
      [
        ServerStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
        ServerSettings.statement([("lock_timeout", options.lockTimeout)]),
        ServerStatement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", parameters),
      ]
      + schema.creation.map { ServerStatement($0, isKept: false) }
      + [
        ServerStatement(schema.firstState, state), ServerStatement(schema.firstEpoch),
        ServerStatement("COMMIT"),
      ]
    do {
      _ = try connection.run(statements, until: deadline)
      return true
    } catch let fault as ServerFault where !fault.isLost {
      try connection.run("ROLLBACK", until: deadline)
      // Another opening was faster.
      if ["42P07", "42P06", "42723", "23505"].contains(fault.state), try read(connection) != nil {
        return false
      }
      throw fault
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

/// The facts in the table `state` about a store.
struct StoreState {
  let id: String
  let schema: SchemaRecord

  init?(_ result: ServerResult) {
    guard result.rowCount == 1, let id = result.cell(0, 0).stored.text,
      let shape = result.cell(0, 2).stored.text, let hashes = result.cell(0, 3).stored.text
    else { return nil }
    self.id = id
    schema = SchemaRecord(
      version: Int(result.cell(0, 1).integer), schema: shape,
      hashes: hashes.split(separator: " ").map(String.init))
  }
}
#endif
