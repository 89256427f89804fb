#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// The gate of a store: a lock that each moment and each commit of any program shares, and that a program
/// takes for itself while it changes tables.
///
/// It is needed because a moment that began before a table is rewritten would see the table empty. While a
/// program waits for the gate, new moments and commits wait too. So it waits shortly, and tries again.
struct ServerGate {
  let options: PostgresOptions
  let connection: ServerConnection
  let cancellation: Cancellation

  private var own: String { quoted(options.ownSchema) }
  /// The deadline for statements that may take as long as they need.
  static var never: Deadline { Deadline(in: 1e6) }

  /// The statement that sets for how long the gate, or another lock, is waited for at a time.
  private static let lockTimeout = ServerStatement(setting: "lock_timeout", seconds: 0.3)

  /// Runs statements. If the task is cancelled, the server ends them early.
  @discardableResult
  func run(_ statements: [ServerStatement]) throws -> [ServerResult] {
    try cancellation.check()
    do {
      return try connection.run(statements, until: Self.never, ReadCancellation(ReadTerms()))
    } catch {
      try cancellation.check()
      throw error
    }
  }

  @discardableResult
  func run(_ sql: String) throws -> ServerResult {
    try run([ServerStatement(sql, isKept: false)])[0]
  }

  // MARK: Reading

  /// Returns the state of the store; nil if the schema has none. Waits while a program changes tables.
  func state() throws -> StoreState? {
    do {
      return try repeating {
        let results = try run([
          ServerStatement("BEGIN"), Self.lockTimeout, ServerStatement(StoreState.query(own)),
          ServerStatement("COMMIT"),
        ])
        return .some(StoreState(results[2]))
      }
    } catch let fault as ServerFault where ["42P01", "3F000"].contains(fault.state) {
      return nil
    }
  }

  // MARK: The gate

  /// Runs a closure in a transaction in which no moment and no commit of any program is under way, and
  /// commits it. The closure runs again if another program has kept a table locked.
  ///
  /// If the schema is new, it has no store yet whose moments and commits could be under way.
  func close<Result>(isNew: Bool = false, _ body: () throws -> Result) throws -> Result {
    try repeating {
      guard try begin(isNew) else { return nil }
      let result = try body()
      guard try run("COMMIT").tag == "COMMIT" else {
        throw ServerFault(state: "25P02", message: "the server did not commit")
      }
      return result
    }
  }

  /// Begins the transaction. Returns false if another program has the gate.
  private func begin(_ isNew: Bool) throws -> Bool {
    let results = try run([
      ServerStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"), Self.lockTimeout,
      ServerStatement(setting: "idle_in_transaction_session_timeout", seconds: 60),
      ServerStatement(setting: "statement_timeout", "0"),
      ServerStatement(setting: "standard_conforming_strings", "on"),
      ServerStatement(setting: "search_path", quoted(options.schema)),
      // Waiting here would keep a snapshot, for which a concurrent build of an index waits.
      ServerStatement(
        "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", [.text(lockName)]),
    ])
    guard results[6].cell(0, 0).integer == 1 else { return false }
    if isNew { return true }
    do {
      try run("LOCK TABLE \(own).state IN ACCESS EXCLUSIVE MODE")
    } catch let fault as ServerFault where fault.state == "55P03" {
      try run("ROLLBACK")
      try ask()
      throw fault
    }
    return true
  }

  /// Asks all programs to end their moments as soon as nobody reads in them.
  private func ask() throws {
    try run([
      ServerStatement("BEGIN"), Self.lockTimeout,
      ServerStatement("UPDATE \(own).state SET gate = clock_timestamp() + interval '3 s'"),
      ServerStatement("COMMIT"),
    ])
  }

  /// Repeats a closure until it returns a result, and throws the refusal at the deadline. The closure
  /// returns nil, or fails for lack of a lock, if others must end first.
  private func repeating<Result>(_ body: () throws -> Result?) throws -> Result {
    let deadline = Deadline(in: options.statementTimeout)
    while true {
      try cancellation.check()
      do {
        defer { connection.rollBack(until: Deadline(in: options.statementTimeout)) }
        if let result = try body() { return result }
      } catch let fault as ServerFault where fault.state == "55P03" || fault.isTurnedAway {}
      guard !deadline.hasPassed else { throw try refusal() }
      // Readers go on meanwhile. The pause differs, so that programs do not meet again and again.
      Thread.sleep(forTimeInterval: .random(in: 0.05...0.2))
    }
  }

  // MARK: Who has it

  /// The name of the lock that only one program has at a time.
  private var lockName: String { "lineage:\(options.schema)" }

  /// Returns the refusal that names the programs which keep the gate, or lock tables.
  private func refusal() throws -> Refusal {
    let names = ["\(own).state", lockName, options.schema]
    let sql = """
      SELECT a.pid, a.application_name, bool_or(l.relation = to_regclass($1)
        OR l.locktype = 'advisory') AS keeps
      FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database()
      WHERE l.granted AND l.pid <> pg_backend_pid() AND (l.relation = to_regclass($1)
        OR (l.locktype = 'advisory' AND l.objsubid = 1
          AND l.classid::bigint = ((hashtextextended($2, 0) >> 32) & 4294967295)
          AND l.objid::bigint = (hashtextextended($2, 0) & 4294967295))
        OR l.relation IN (SELECT c.oid FROM pg_class c JOIN pg_namespace n
          ON n.oid = c.relnamespace WHERE n.nspname = $3))
      GROUP BY 1, 2 ORDER BY keeps DESC NULLS LAST, 1 LIMIT 5
      """
    let rows = try run([ServerStatement(sql, names.map { .text($0) }, isKept: false)])[0].texts
    let keepers = rows.contains { $0[2] == "1" } ? rows.filter { $0[2] == "1" } : rows
    return refusal(keepers.map { ($0[0], $0[1]) }, "keeps the tables")
  }

  /// Returns the refusal that names processes of the server, and the programs that use them.
  func refusal(_ keepers: [(process: String, program: String)], _ doing: String) -> Refusal {
    guard !keepers.isEmpty else { return Refusal(.locked(seconds: options.statementTimeout)) }
    let names = keepers.map { process, program in
      "process \(process) (\(program.isEmpty ? "without a name" : program))"
    }
    return Refusal(
      .failed(
        GraphError(
          "open the store",
          .tooSlow(
            "waited \(options.statementTimeout) s for \(names.joined(separator: ", ")), which \(doing)"
          ))))
  }
}
#endif
