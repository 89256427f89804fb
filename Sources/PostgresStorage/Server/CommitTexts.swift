#if Postgres
import ObjectGraph
import SQLStorage

/// The parts of a commit that are the same in all commits of a store.
struct CommitTexts: Sendable {
  let beginning: Beginning
  /// The SQL that adds a row to the log, unless a migration has made the program too old, or unless the
  /// commit comes so late that its row may have been cleaned away.
  let log: String

  init(_ options: PostgresOptions) {
    let own = quoted(options.ownSchema)
    beginning = Beginning("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", options)
    log =
      "INSERT INTO \(own).log (id, ids)"
      + " SELECT CASE WHEN $3 >= oldest AND horizon <= $4::xid8 THEN $1::uuid END,"
      + " $2::bytea FROM \(own).state RETURNING xid"
  }
}
#endif
