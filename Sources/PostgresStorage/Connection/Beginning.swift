#if Postgres
import SQLStorage

/// The statements with which the transactions of a kind begin.
struct Beginning: Sendable {
  private let direct, pooled: [ServerStatement]
  /// The statement that begins the transaction of a moment.
  static let ofMoment = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

  /// Creates the statements after a `BEGIN` with options.
  init(_ begin: String, _ options: PostgresOptions) {
    let begin = ServerStatement(begin)
    // A migration waits for this lock, and this statement for a migration. No statement before it takes
    // a snapshot, so a moment shows what the migration has committed.
    let lock = ServerStatement("LOCK TABLE \(quoted(options.ownSchema)).state IN ACCESS SHARE MODE")
    direct = [begin, lock]
    pooled = [begin] + Self.settings(options, isLocal: true) + [lock]
  }

  /// Returns the statements for a connection. A pooler may lend the server's process to another program
  /// after the transaction, so each transaction has its own settings there.
  func statements(on connection: ServerConnection) -> [ServerStatement] {
    connection.isPooled ? pooled : direct
  }

  /// Returns the statements that set how the server runs moments and commits: until the transaction ends
  /// or, if they are not local, until the connection ends.
  static func settings(_ options: PostgresOptions, isLocal: Bool) -> [ServerStatement] {
    // The limit for locks comes before the first lock, which a migration may keep for long.
    let times = [
      ("lock_timeout", options.lockTimeout), ("statement_timeout", options.statementTimeout),
      ("idle_in_transaction_session_timeout", options.serverIdleLimit),
    ]
    let others = [
      // Most cursors are read to their end. By default, the server plans for a tenth of the rows.
      ("cursor_tuple_fraction", "1"),
      // Otherwise the server plans each poll and each statement with arrays again, which takes longer
      // than the statement itself. Cursors are planned each time anyway.
      ("plan_cache_mode", "force_generic_plan"),
    ]
    return times.map { ServerStatement(setting: $0, seconds: $1, isLocal: isLocal) }
      + others.map { ServerStatement(setting: $0, $1, isLocal: isLocal) }
  }
}
#endif
