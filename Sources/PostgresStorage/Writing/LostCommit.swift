#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// A commit that was sent, and whose answer was lost with its connection.
struct LostCommit: Error {
  /// The UUID of the commit's row in the log.
  let id: UUID
  /// The first transaction that a snapshot from before the commit does not show.
  let end: UInt64
  /// The reason why the connection was lost.
  let message: String

  /// The fate of the commit.
  enum Outcome {
    /// The commit was made, by a transaction.
    case made(UInt64)
    /// The commit was not made, and never will be, even if it reaches the server late.
    case dead
    case unknown
  }

  /// Finds out what became of the commit. Returns the outcome, and the connection that was used last.
  ///
  /// A row with the commit's UUID is added to the log. If the log takes it, the commit itself can never
  /// be made, because the UUID is unique. If the log has the UUID already, the commit was made. While
  /// the commit is under way, the server lets the row wait.
  ///
  /// If the commit's row may have been cleaned away meanwhile, nobody can know. The server refuses the
  /// row then.
  func outcome(
    _ server: Server, connect: () throws -> ServerConnection
  ) -> (Outcome, ServerConnection?) {
    let options = server.options
    let deadline = Deadline(
      in: min(options.statementTimeout + options.serverIdleLimit, options.cleaningInterval / 2))
    var connection: ServerConnection?
    while true {
      do {
        let present = try connection ?? connect()
        connection = present
        return (try decide(server, present), present)
      } catch let fault as ServerFault where fault.isRefused(by: options) {
        return (.unknown, connection)
      } catch {
        // Without an answer, or while the commit is under way, the question is asked again.
        if connection?.isLost == true { connection = nil }
      }
      guard !deadline.hasPassed else { return (.unknown, connection) }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  private func decide(_ server: Server, _ connection: ServerConnection) throws -> Outcome {
    let (own, options) = (quoted(server.options.ownSchema), server.options)
    let deadline = Deadline(in: options.lockTimeout + options.connectTimeout)
    // The row of the state is locked, so that nobody cleans the log at the same time.
    let void = ServerStatement(
      "INSERT INTO \(own).log (id, ids) SELECT CASE WHEN horizon <= $2::xid8 THEN $1::uuid END, ''"
        + " FROM \(own).state FOR SHARE", ServerParameters(untyped: [id.uuidString, "\(end)"]))
    do {
      let statements =
        server.commitBeginning.statements(on: connection) + [void, ServerStatement("COMMIT")]
      let results = try connection.run(statements, until: deadline)
      guard results.last?.tag == "COMMIT" else { throw ServerFault.lost("it did not commit") }
      return .dead
    } catch let fault as ServerFault where !fault.isLost {
      _ = try connection.run("ROLLBACK", until: deadline)
      guard fault.isUniqueness else { throw fault }
    }
    let question = ServerStatement(
      "SELECT xid, length(ids) FROM \(own).log WHERE id = $1",
      ServerParameters(untyped: [id.uuidString]))
    let row = try connection.run([question], until: deadline)[0]
    guard row.rowCount > 0 else { return .unknown }
    // The row of an earlier try is empty. That of a commit never is, or it is null.
    let isVoid = row.cell(0, 1).form == .integer && row.cell(0, 1).integer == 0
    return isVoid ? .dead : .made(UInt64(bitPattern: row.cell(0, 0).integer))
  }
}
#endif
