#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// One commit on a connection.
///
/// The first way sends everything in one trip, and the server refuses what is in conflict. After a
/// refusal, the second way locks the rows, reads them, and finds out what is wrong.
struct ServerCommit {
  let server: Server
  let connection: ServerConnection
  private let receipts: [Receipt]
  private let inbox: Inbox?
  private let id = UUID.random
  /// The first transaction that a snapshot from before the commit does not show.
  private let end: UInt64

  init(
    _ server: Server, _ connection: ServerConnection, _ receipts: [Receipt], from inbox: Inbox?
  ) {
    self.server = server
    self.connection = connection
    self.receipts = receipts
    self.inbox = inbox
    end = server.news.end
  }

  private var options: PostgresOptions { server.options }
  private var own: String { quoted(options.ownSchema) }
  var deadline: Deadline { Deadline(in: options.statementTimeout + options.lockTimeout + 5) }

  func run(_ writes: [Write], _ resolving: ConflictResolver?) throws {
    let batch = WriteBatch(writes, server)
    do {
      let statements = try beginning + batch.locks() + batch.statements(isChecked: true)
      try finish(with: statements, writes)
    } catch let fault as ServerFault
      where fault.isConflict || fault.isUniqueness || fault.isForeignKey
    {
      rollBack()
      try CarefulCommit(self).run(writes, resolving)
    } catch {
      rollBack()
      if let fault = error as? ServerFault, fault.isTooLarge, let long = try tooLong(writes) {
        throw long
      }
      throw error
    }
  }

  /// Returns the error for a value that is too long for its index; nil if none is.
  private func tooLong(_ writes: [Write]) throws -> GraphError? {
    for write in writes {
      if case .delete = write.kind { continue }
      let table = server.entities[write.entity]
      for column in Set(server.tables.model.layouts[write.entity].indexes.flatMap(\.columns))
        .sorted()
      {
        let size: Int =
          switch try write.source.withValue({ try table.columns[column].stored(of: $0) }) {
          case .text(let text): text.utf8.count
          case .blob(let bytes): bytes.count
          case .null, .integer, .real: 0
          }
        guard size > Self.indexedSize else { continue }
        let problem = Problem(
          table.columns[column].name, "has \(size) bytes, too many for the server's index")
        let object = table.object(write.id)
        return GraphError(
          "save \(object)", .invalid([InvalidObject(object: object, problems: [problem])]))
      }
    }
    return nil
  }

  /// The number of bytes that an indexed value may surely have. An entry of an index has at most a third of
  /// a page.
  private static let indexedSize = 2_600

  /// Writes all rows of another store, and takes the store's id.
  func fill(with contents: StoreContents) throws {
    defer { rollBack() }
    let names = server.entities.map(\.sql).joined(separator: ", ")
    let queries = server.entities.map { "(SELECT 1 FROM \($0.sql) LIMIT 1)" }
    let checks = [
      ServerStatement("LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE", isKept: false),
      ServerStatement(queries.joined(separator: " UNION ALL "), isKept: false),
    ]
    let results = try connection.run(beginning + checks, until: deadline)
    guard results[results.count - 1].rowCount == 0 else { throw GraphError.isFilled }
    try contents.forEachBatch { writes in
      let statements = try WriteBatch(writes, server).statements(isChecked: false)
      _ = try connection.run(statements, until: deadline)
    }
    let take = ServerStatement("UPDATE \(own).state SET store = $1", [.text(contents.id)])
    try finish(with: [take], News(isEverything: true), nil)
  }

  /// Undoes the transaction, if one is under way.
  func rollBack() { connection.rollBack(until: deadline) }

  /// The statements with which a commit begins.
  var beginning: [ServerStatement] { server.commitBeginning.statements(on: connection) }

  /// Runs the last statements of the transaction, and commits it.
  func finish(with statements: [ServerStatement], _ writes: [Write]) throws {
    try finish(with: statements, News(writes), ChangedIDs.pack(writes, server.tables.model))
  }

  private func finish(with statements: [ServerStatement], _ news: News, _ ids: [UInt8]?) throws {
    let ending = ending(ids)
    server.news.expect(id, news, from: inbox)
    do {
      let results = try connection.run(statements + ending, until: deadline)
      guard results[results.count - 1].tag == "COMMIT" else {
        throw ServerFault(state: "25P02", message: "the server did not commit")
      }
      let transaction = results[results.count - 2].cell(0, 0).integer
      server.news.committed(id, UInt64(bitPattern: transaction), on: connection)
    } catch let fault as ServerFault where fault.isLost {
      server.news.lost(id)
      throw LostCommit(id: id, end: end, message: fault.message)
    } catch {
      server.news.failed(id)
      throw error
    }
  }

  private func ending(_ ids: [UInt8]?) -> [ServerStatement] {
    var statements: [ServerStatement] = []
    for receipt in receipts {
      var parameters = ServerParameters()
      parameters.addUntyped(.text(receipt.id.uuidString))
      parameters.add(.integer(receipt.count))
      parameters.add(.real(receipt.date))
      parameters.add(.real(receipt.date - Receipt.lifetime))
      statements.append(
        ServerStatement(
          "WITH old AS (DELETE FROM \(own).receipts WHERE date < $4 AND id <> $1)"
            + " INSERT INTO \(own).receipts VALUES ($1, $2, $3) ON CONFLICT (id)"
            + " DO UPDATE SET count = excluded.count, date = excluded.date", parameters))
    }
    var log = ServerParameters()
    log.addUntyped(.text(id.uuidString))
    // No ids at all would mean that nothing was committed. So a commit of receipts has a list of them
    // that is empty.
    log.add(ids.map { .blob($0.isEmpty ? [0, 0, 0] : $0) } ?? .null)
    log.add(.integer(Int64(server.version)))
    log.addUntyped(.text("\(end)"))
    statements.append(ServerStatement(server.logSQL, log))
    return statements + [ServerStatement("COMMIT")]
  }
}

extension UUID {
  /// A random UUID. On Linux, the initializer takes longer, because it opens a file each time (benchmark
  /// `single save`).
  fileprivate static var random: UUID {
    let halves = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    var bytes = unsafe unsafeBitCast(halves, to: uuid_t.self)
    // The version of random UUIDs is 4.
    (bytes.6, bytes.8) = (bytes.6 & 0x0F | 0x40, bytes.8 & 0x3F | 0x80)
    return UUID(uuid: bytes)
  }
}
#endif
