#if Postgres
import Dispatch
import Foundation
import ObjectGraph
import SQLStorage

/// The store's only connection that writes. It opens when it is first needed.
final class ServerWriter: @unchecked Sendable {
  // All variables are used only while `turn` is held.

  private let server: Server
  private let connecting: Connecting
  private let turn = DispatchSemaphore(value: 1)
  private var connection: ServerConnection?
  private var isClosed = false

  init(_ server: Server, _ connecting: Connecting) {
    self.server = server
    self.connecting = connecting
  }

  func close() {
    turn.wait()
    defer { turn.signal() }
    (isClosed, connection) = (true, nil)
  }

  /// Commits all writes in one transaction, or throws and writes none.
  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    try exclusively("save") { connection in
      try ServerCommit(server, connection, receipts, from: inbox).run(writes, resolving)
    }
  }

  /// Writes all rows of another store, or throws and writes none.
  func fill(with contents: StoreContents) throws {
    try exclusively("copy into the store") { connection in
      try ServerCommit(server, connection, [], from: nil).fill(with: contents)
    }
  }

  private func exclusively(_ attempted: String, _ body: (ServerConnection) throws -> Void) throws {
    let options = server.options
    guard turn.wait(timeout: .now() + options.lockTimeout) == .success else {
      throw GraphError(attempted, .timeout(seconds: options.lockTimeout))
    }
    defer { turn.signal() }
    guard !isClosed else { throw GraphError(attempted, .closed) }
    for attempt in 1... {
      do {
        return try body(opened())
      } catch let lost as LostCommit {
        guard try !finish(lost) else { return }
        // The commit was not made, and never will be. So it may be made again.
        guard attempt < 3 else { throw server.error(.lost(lost.message), attempted) }
        options.onEvent?(.repeated(lost.message))
      } catch let fault as ServerFault {
        if fault.isLost { connection = nil }
        // The store has not polled for so long that the log was cleaned meanwhile.
        if fault.isRefused(by: options), attempt == 1, poll() { continue }
        // The server has undone the commit in favour of another one, or a connection that nobody used
        // was dead.
        guard fault.isTurnedAway && attempt < 10 || fault.isLost && attempt < 3 else {
          throw server.error(fault, attempted)
        }
        options.onEvent?(.repeated(fault.message))
      }
    }
  }

  /// Finds out what became of a commit. Returns whether it was made. Throws if nobody knows.
  private func finish(_ lost: LostCommit) throws -> Bool {
    let outcome: LostCommit.Outcome
    (outcome, connection) = lost.outcome(server) { try connect() }
    switch outcome {
    case .made(let transaction):
      if let connection { server.news.committed(lost.id, transaction, on: connection) }
      return true
    case .dead:
      server.news.failed(lost.id)
      return false
    case .unknown: throw GraphError("save", .unknownOutcome(lost.message))
    }
  }

  /// Asks for news on the writer's connection. Returns whether there was an answer.
  private func poll() -> Bool {
    guard let connection,
      let results = try? connection.run([server.news.poll], until: server.pool.deadline)
    else { return false }
    return (try? server.news.hear(results[0], from: connection)) != nil
  }

  private func connect() throws -> ServerConnection {
    try connecting.connect(counting: server.pool.trips)
  }

  private func opened() throws -> ServerConnection {
    if let connection, connection.isCurrent, !connection.hasEnded() { return connection }
    let deadline = Deadline(in: server.options.acquireTimeout)
    while true {
      do {
        let opened = try connect()
        connection = opened
        return opened
      } catch let fault as ServerFault where fault.isForNow && !deadline.hasPassed {
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }
}
#endif
