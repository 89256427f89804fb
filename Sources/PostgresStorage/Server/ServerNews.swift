#if Postgres
import Foundation
import ObjectGraph
import SQLStorage
import Synchronization

/// The news of a server's commits, for the inboxes of this process.
///
/// Each commit adds a row to the table `log`. A poll, with which each moment begins, reads the rows that
/// the snapshot told last does not show. So when a moment has begun, the inboxes have the news of all
/// that it shows.
final class ServerNews: Sendable {
  private struct Told {
    /// The moment whose news were told last; nil before the first.
    var snapshot: Snapshot?
    /// The identity of the server's run; it changes when the server crashes or is replaced.
    var epoch: String?
    /// This process's commits that nobody has told yet.
    var own: [UUID: OwnCommit] = [:]
    /// The transactions that were told although `snapshot` does not show them.
    var heard: Set<UInt64> = []
  }

  /// A commit of this process.
  private struct OwnCommit {
    /// The inbox that does not hear of the commit; nil if all hear of it.
    weak var sender: Inbox?
    let news: News
  }

  private let told = Mutex(Told())
  private let needsEpoch = Atomic(false)
  private let gateIsWanted = Atomic(false)
  private let model: Model
  /// The program's version of the schema.
  private let version: Int
  private let inboxes: Inboxes
  /// The quoted schema of the store's own tables.
  private let schema: String
  private let pollSQL: String
  /// The SQL of the poll with which a moment begins. It is the query itself, because a call of the server's
  /// function takes longer (benchmark `begin`: 103 µs instead of 94). A poll outside a moment calls the
  /// function, which brings the settings with which the server plans the query well.
  private let beginningSQL: String
  /// The statements before the poll with which a moment begins.
  private let beforePoll: [ServerStatement]

  init(_ model: Model, _ inboxes: Inboxes, _ options: PostgresOptions, version: Int) {
    self.model = model
    self.version = version
    self.inboxes = inboxes
    schema = quoted(options.ownSchema)
    pollSQL = "SELECT * FROM \(schema).news($1::xid8, $2::xid8[])"
    beginningSQL = NewsQuery.sql(in: schema, since: "$1::xid8", pending: "$2::xid8[]")
    beforePoll = [
      ServerStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      // A migration waits for this lock, and this statement for a migration. Neither statement takes a
      // snapshot, so the moment shows what the migration has committed.
      ServerStatement("SET LOCAL lock_timeout = \(Int(max(options.lockTimeout, 0.001) * 1_000))"),
      ServerStatement("LOCK TABLE \(schema).state IN ACCESS SHARE MODE"),
      ServerSettings.statement(
        [
          ("statement_timeout", options.statementTimeout),
          ("idle_in_transaction_session_timeout", options.serverIdleLimit),
        ],
        // Most cursors are read to their end. By default, the server plans for a tenth of the rows. And
        // it would plan the poll each time. Cursors are planned each time anyway.
        others: [("cursor_tuple_fraction", "1"), ("plan_cache_mode", "force_generic_plan")]),
    ]
  }

  // MARK: Polling

  /// The place of the poll's result among the results of ``beginning``.
  static let place = 3

  /// The statements with which a moment begins.
  var beginning: [ServerStatement] { beforePoll + [poll(by: beginningSQL)] }

  /// The statement that reads what was committed since the last poll.
  var poll: ServerStatement { poll(by: pollSQL) }

  private func poll(by sql: String) -> ServerStatement {
    let snapshot = told.withLock { $0.snapshot }
    var parameters = ServerParameters()
    parameters.addUntyped(.text("\(snapshot?.end ?? UInt64(Int64.max))"))
    let pending = snapshot?.pending.map { "\($0)" }.joined(separator: ",") ?? ""
    parameters.addUntyped(.text("{\(pending)}"))
    return ServerStatement(sql, parameters)
  }

  /// Throws a fault if a migration has made the program too old to read what the moment of a poll shows.
  func refuseTooOld(_ result: ServerResult) throws {
    guard result.rowCount > 0, result.cell(0, 7).integer > Int64(version) else { return }
    throw ServerFault(state: "42P01", "the program is too old for the store")
  }

  /// Posts the news of a poll's result. The caller wakes the inboxes afterwards, without a lock.
  func hear(_ result: ServerResult) throws {
    guard result.rowCount > 0, let text = result.cell(0, 0).stored.text,
      let snapshot = Snapshot(text)
    else { throw ServerFault(state: "XX000", "the store's news cannot be read") }
    let epoch = result.cell(0, 2).stored.text
    if epoch == nil { needsEpoch.store(true, ordering: .relaxed) }
    gateIsWanted.store(result.cell(0, 6).integer == 1, ordering: .relaxed)
    let horizon = UInt64(bitPattern: result.cell(0, 1).integer)
    told.withLock { told in
      guard let last = told.snapshot, let epoch, epoch == told.epoch, last.first >= horizon,
        result.rowCount <= 5_001
      else {
        // The first moment of a store has nothing to tell. After that, something may be missed.
        if told.snapshot != nil { inboxes.post(News(isEverything: true), except: nil) }
        if told.snapshot == nil || told.epoch != epoch || epoch == nil {
          (told.snapshot, told.heard) = (snapshot, [])
        } else if let last = told.snapshot, last <= snapshot {
          told.snapshot = snapshot
        }
        told.epoch = epoch
        return
      }
      if snapshot <= last { return }
      for row in 1..<max(1, result.rowCount) {
        let transaction = UInt64(bitPattern: result.cell(row, 3).integer)
        guard !last.shows(transaction), !told.heard.contains(transaction) else { continue }
        tell(result, row, &told)
      }
      told.snapshot = snapshot
      told.heard = told.heard.filter { !snapshot.shows($0) }
    }
  }

  private func tell(_ result: ServerResult, _ row: Int, _ told: inout Told) {
    let id = result.cell(row, 4).stored.text.flatMap { UUID(uuidString: $0) }
    if let id, let own = told.own.removeValue(forKey: id) {
      return inboxes.post(own.news, except: own.sender)
    }
    guard case .blob(let bytes) = result.cell(row, 5).stored,
      let news = ChangedIDs.unpack(bytes, model)
    else { return inboxes.post(News(isEverything: true), except: nil) }
    inboxes.post(news, except: nil)
  }

  // MARK: Own commits

  /// Notes a commit before it is sent, because a poll may see it before its answer has come.
  func expect(_ id: UUID, _ news: News, from sender: Inbox?) {
    told.withLock { $0.own[id] = OwnCommit(sender: sender, news: news) }
  }

  /// Posts a commit whose answer has come, unless a poll has told it already.
  func committed(_ id: UUID, _ transaction: UInt64) {
    told.withLock { told in
      if let own = told.own.removeValue(forKey: id) {
        inboxes.post(own.news, except: own.sender)
      }
      if told.snapshot?.shows(transaction) != true { told.heard.insert(transaction) }
      // A program that only writes never polls. Its first poll then tells that everything may have changed.
      if told.heard.count > 10_000 { (told.heard, told.epoch) = ([], nil) }
    }
  }

  /// Forgets a commit that has failed.
  func failed(_ id: UUID) { told.withLock { _ = $0.own.removeValue(forKey: id) } }

  /// Makes a commit with an unknown outcome news for its sender too, if a poll sees it.
  func lost(_ id: UUID) { told.withLock { $0.own[id]?.sender = nil } }

  /// Whether a program waits until all moments have ended, so that it can change the tables.
  var hasGateWaiting: Bool { gateIsWanted.load(ordering: .relaxed) }

  /// Whether the last poll has found no name of the server's run. Until somebody gives it one, each
  /// moment tells that everything may have changed.
  var lacksEpoch: Bool { needsEpoch.load(ordering: .relaxed) }

  /// Returns the statement that names the server's run, if the last poll has found no name.
  func takeEpoch() -> ServerStatement? {
    guard needsEpoch.exchange(false, ordering: .relaxed) else { return nil }
    return ServerStatement(
      "INSERT INTO \(schema).epoch (id) VALUES (gen_random_uuid()) ON CONFLICT DO NOTHING")
  }
}

extension StoredValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
#endif
