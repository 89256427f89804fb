#if Postgres
import ObjectGraph
import SQLStorage

/// The parts of a commit that are the same in all commits of a store.
struct CommitTexts: Sendable {
  let beginning: [ServerStatement]
  /// The SQL that adds a row to the log, unless a migration has made the program too old, or unless the
  /// commit comes so late that its row may have been cleaned away.
  let log: String

  init(_ options: PostgresOptions) {
    let own = quoted(options.ownSchema)
    beginning = [
      ServerStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
      // The limit for locks comes before the first lock, which a migration may keep for long. Otherwise
      // the commit would wait for it without end.
      ServerSettings.statement(
        [
          ("lock_timeout", options.lockTimeout), ("statement_timeout", options.statementTimeout),
          ("idle_in_transaction_session_timeout", options.serverIdleLimit),
        ],
        // Otherwise the server plans each statement with arrays again, which takes longer than the
        // statement itself.
        others: [("plan_cache_mode", "force_generic_plan")]),
      // A migration waits for this lock, and this statement for a migration.
      ServerStatement("LOCK TABLE \(own).state IN ACCESS SHARE MODE"),
    ]
    log =
      "INSERT INTO \(own).log (id, ids)"
      + " SELECT CASE WHEN $3 >= oldest AND horizon <= $4::xid8 THEN $1::uuid END,"
      + " $2::bytea FROM \(own).state RETURNING xid"
  }
}
#endif
