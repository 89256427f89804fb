#if Postgres
import ObjectGraph
import SQLStorage

/// The part of an open store that its readers and commits use.
final class Server: Sendable {
  let options: PostgresOptions
  let tables: SQLTables
  let entities: [ServerTable]
  let pool: ServerPool
  let news: ServerNews
  let inboxes: Inboxes
  /// The statements with which a commit begins.
  let commitBeginning: Beginning
  /// The SQL that adds a row to the log, unless a migration has made the program too old, or unless the
  /// commit comes so late that its row may have been cleaned away.
  let logSQL: String
  /// The signal that wakes the store's thread.
  let bell: Bell
  /// The version of the schema, which each commit compares.
  let version: Int

  init(
    _ options: PostgresOptions, _ model: Model, _ pool: ServerPool, _ inboxes: Inboxes,
    _ generation: ServerGeneration, version: Int
  ) {
    self.options = options
    self.pool = pool
    self.version = version
    self.inboxes = inboxes
    tables = SQLTables(model, in: PostgresDialect.self, schema: options.schema)
    entities = model.layouts.indices.map { [tables] in ServerTable($0, tables) }
    bell = Bell()
    news = ServerNews(model, inboxes, options, generation, bell, version: version)
    commitBeginning = Beginning("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", options)
    let own = quoted(options.ownSchema)
    logSQL =
      "INSERT INTO \(own).log (id, ids)"
      + " SELECT CASE WHEN $3 >= oldest AND horizon <= $4::xid8 THEN $1::uuid END,"
      + " $2::bytea FROM \(own).state RETURNING xid"
  }

  /// Returns the result of a closure that reads. A fault of the server becomes an error that names the
  /// attempt.
  func reading<Result>(
    _ attempted: @autoclosure () -> String, _ body: () throws -> Result
  ) throws -> Result {
    // Inboxes are told of news without a lock, because those who hear may read again.
    defer { inboxes.wake() }
    do {
      return try body()
    } catch let fault as ServerFault {
      throw error(fault, attempted())
    }
  }

  func error(_ fault: ServerFault, _ attempted: String) -> GraphError {
    if fault.isStale {
      return GraphError(attempted, .migrated(version: storeVersion))
    }
    return fault.error(attempted, options)
  }

  /// The present version of the store's schema, or the program's if it cannot be read.
  private var storeVersion: Int {
    let query = ServerStatement("SELECT schema_version FROM \(quoted(options.ownSchema)).state")
    // Another migration may keep the table.
    let deadline = Deadline(in: options.lockTimeout + 1)
    let result = try? pool.with { try $0.run([query], until: deadline)[0] }
    guard let result, result.rowCount > 0 else { return version }
    return Int(result.cell(0, 0).integer)
  }
}
#endif
