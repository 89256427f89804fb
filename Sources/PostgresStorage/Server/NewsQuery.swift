#if Postgres
/// The query for what was committed since a snapshot.
enum NewsQuery {
  /// Returns the query's SQL. The first row has the present snapshot, the horizon of the log, the name of
  /// the server's run, whether somebody waits for the gate, and the oldest version of a program that may
  /// read. Each further row has the transaction, the id and the changed ids of a commit.
  static func sql(in own: String, since: String, pending: String) -> String {
    """
    SELECT pg_current_snapshot()::text AS snapshot, s.horizon,
      (SELECT e.id || ':' || e.tableoid FROM \(own).epoch e) AS epoch,
      NULL::xid8 AS xid, NULL::uuid AS id, NULL::bytea AS ids,
      s.gate > clock_timestamp() AS gate, s.oldest FROM \(own).state s
    UNION ALL (SELECT NULL, NULL, NULL, l.xid, l.id, l.ids, NULL, NULL FROM \(own).log l
      WHERE l.xid >= \(since) ORDER BY l.xid LIMIT 5001)
    UNION ALL SELECT NULL, NULL, NULL, l.xid, l.id, l.ids, NULL, NULL FROM \(own).log l
      WHERE l.xid = ANY (\(pending))
    """
  }
}
#endif
