#if Postgres
import ObjectGraph
import SQLStorage

/// The check whether a server can have a store, and whether the program may use it.
struct ServerCheck {
  let connection: ServerConnection
  let deadline: Deadline

  /// Throws a refusal, in words, if the server has not what a store needs.
  func run() throws {
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
}
#endif
