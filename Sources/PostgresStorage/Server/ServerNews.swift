#if Postgres
import Foundation
import ObjectGraph
import SQLStorage
import Synchronization

/// The news of a server's commits, for the inboxes of this process.
///
/// Each commit adds a row to the table `log`. A poll, with which each moment begins, reads the rows that
/// the snapshot told last does not show. So when a moment has begun, the inboxes have the news of all
/// that it shows. ``NewsRecord`` decides what is told.
final class ServerNews: Sendable {
  /// A commit of this process.
  private struct OwnCommit {
    /// The inbox of the context that has made the commit.
    weak var sender: Inbox?
    let news: News
  }

  private struct Told {
    var record = NewsRecord()
    /// The commits of this process that the record has registered.
    var own: [UUID: OwnCommit] = [:]
  }

  private let told = Mutex(Told())
  private let generation: ServerGeneration
  private let bell: Bell
  private let isToNotify = Atomic(false)
  private let needsEpoch = Atomic(false)
  private let gateIsWanted = Atomic(false)
  private let model: Model
  /// The program's version of the schema.
  private let version: Int
  private let inboxes: Inboxes
  /// The quoted schema of the store's own tables.
  private let schema: String
  /// The SQL of a poll outside a moment. It calls the server's function, which brings the settings with
  /// which the server plans the query well.
  private let pollSQL: String
  /// The SQL of the poll with which a moment begins, with and without pending transactions. It is the
  /// query itself, because the function takes longer (benchmark `begin`: 103 µs instead of 94).
  private let beginningSQL: (pending: String, settled: String)
  /// The statements before the poll with which a moment begins.
  private let beforePoll: Beginning

  init(
    _ model: Model, _ inboxes: Inboxes, _ options: PostgresOptions,
    _ generation: ServerGeneration, _ bell: Bell, version: Int
  ) {
    self.model = model
    self.version = version
    self.inboxes = inboxes
    self.generation = generation
    self.bell = bell
    schema = quoted(options.ownSchema)
    pollSQL = "SELECT * FROM \(schema).news($1::xid8, $2::xid8[])"
    let query = { [schema] in StoreSchema.newsQuery(in: schema, since: "$1::xid8", pending: $0) }
    beginningSQL = (query("$2::xid8[]"), query(nil))
    beforePoll = Beginning(Beginning.ofMoment, options)
  }

  // MARK: Polling

  /// Returns the statements with which a moment begins. The last one is a poll.
  func beginning(on connection: ServerConnection) -> [ServerStatement] {
    beforePoll.statements(on: connection)
      + [poll(by: beginningSQL.pending, withoutPending: beginningSQL.settled)]
  }

  /// The statement that reads what was committed since the last poll.
  var poll: ServerStatement { poll(by: pollSQL) }

  private func poll(by sql: String, withoutPending shorter: String? = nil) -> ServerStatement {
    let snapshot = told.withLock { $0.record.told }
    let end = "\(snapshot?.end ?? UInt64(Int64.max))"
    let pending = snapshot?.pending ?? []
    if pending.isEmpty, let shorter {
      return ServerStatement(shorter, ServerParameters(untyped: [end]))
    }
    let list = "{\(pending.map { "\($0)" }.joined(separator: ","))}"
    return ServerStatement(sql, ServerParameters(untyped: [end, list]))
  }

  /// Throws a fault if a migration has made the program too old to read what the moment of a poll shows.
  func refuseTooOld(_ result: ServerResult) throws {
    guard result.rowCount > 0, result.cell(0, 7).integer > Int64(version) else { return }
    throw ServerFault(state: "42P01", message: "the program is too old for the store")
  }

  /// The first transaction that the snapshot told last does not show.
  var end: UInt64 { told.withLock { $0.record.told?.end ?? 0 } }

  /// Posts the news of a poll's result. The caller wakes the inboxes afterwards, without a lock.
  func hear(_ result: ServerResult, from connection: ServerConnection) throws {
    guard result.rowCount > 0, let text = result.cell(0, 0).stored.text,
      let snapshot = Snapshot(text)
    else { throw ServerFault(state: "XX000", message: "the store's news cannot be read") }
    let epoch = result.cell(0, 2).stored.text
    if epoch == nil { needsEpoch.store(true, ordering: .relaxed) }
    gateIsWanted.store(result.cell(0, 6).integer == 1, ordering: .relaxed)
    let answer = NewsAnswer(
      snapshot, epoch: epoch, horizon: UInt64(bitPattern: result.cell(0, 1).integer),
      (1..<result.rowCount).map { row(result, $0) }, generation: connection.generation)
    told.withLock { told in
      post(told.record.hear(answer), result, &told)
      generation.number = told.record.generation
    }
  }

  private func row(_ result: ServerResult, _ row: Int) -> NewsAnswer.Row {
    let kind: NewsAnswer.Row.Kind
    switch result.cell(row, 5).form {
    case .blob: kind = result.cell(row, 5).count == 0 ? .void : .changes
    default: kind = .everything
    }
    let id = result.cell(row, 4).stored.text.flatMap { UUID(uuidString: $0) }
    return NewsAnswer.Row(
      UInt64(bitPattern: result.cell(row, 3).integer), id ?? UUID(), kind)
  }

  private func post(_ posts: [NewsPost], _ result: ServerResult?, _ told: inout Told) {
    if posts.isEmpty { return }
    var all: [(news: News, sender: Inbox?)] = posts.map { post in
      switch post {
      case .everything: return (News(isEverything: true), nil)
      case .own(let id, let toSender):
        guard let commit = told.own.removeValue(forKey: id) else { break }
        return (commit.news, toSender ? nil : commit.sender)
      case .row(let row):
        guard let result, case .blob(let bytes) = result.cell(row + 1, 5).stored else { break }
        if let news = ChangedIDs.unpack(bytes, model) { return (news, nil) }
      }
      return (News(isEverything: true), nil)
    }
    if all.count > 1 { ServerNews.prefer(touched: &all) }
    for (news, sender) in all { inboxes.post(news, except: sender) }
  }

  /// Makes each row that one of the news has deleted and another one touched a touched one in all of
  /// them, because their order is not known.
  private static func prefer(touched all: inout [(news: News, sender: Inbox?)]) {
    var touched: [Int: Set<Int64>] = [:]
    for (news, _) in all { touched.merge(news.touched) { $0.union($1) } }
    for index in all.indices {
      for (entity, ids) in all[index].news.deleted {
        let both = ids.intersection(touched[entity] ?? [])
        guard !both.isEmpty else { continue }
        all[index].news.deleted[entity]?.subtract(both)
        all[index].news.touched[entity, default: []].formUnion(both)
      }
    }
  }

  // MARK: Own commits

  /// Notes a commit before it is sent, because a poll may see it before its answer has come.
  func expect(_ id: UUID, _ news: News, from sender: Inbox?) {
    told.withLock { told in
      told.record.register(id)
      told.own[id] = OwnCommit(sender: sender, news: news)
    }
  }

  /// Posts a commit whose answer has come, unless a poll has told it already.
  func committed(_ id: UUID, _ transaction: UInt64, on connection: ServerConnection) {
    told.withLock { told in
      let posts = told.record.committed(id, by: transaction, generation: connection.generation)
      post(posts, nil, &told)
    }
    if !isToNotify.exchange(true, ordering: .relaxed) { bell.ring() }
  }

  /// Forgets a commit that has failed.
  func failed(_ id: UUID) {
    told.withLock { told in
      told.record.failed(id)
      told.own[id] = nil
    }
  }

  /// Makes a commit with an unknown outcome news for its sender too, if a poll sees it.
  func lost(_ id: UUID) { told.withLock { $0.record.lost(id) } }

  /// Whether this process has committed something of which others were given no notice.
  var hasCommitted: Bool { isToNotify.load(ordering: .relaxed) }

  /// Makes ``hasCommitted`` false, before the notice is sent.
  func forgetCommits() { isToNotify.store(false, ordering: .relaxed) }

  // MARK: Cleaning

  /// The SQL that moves the horizon if the last time is longer ago than an interval in seconds.
  var cleaningRound: String {
    "UPDATE \(schema).state SET horizon = next_horizon,"
      + " next_horizon = pg_snapshot_xmin(pg_current_snapshot()), cleaned = clock_timestamp()"
      + " WHERE cleaned < clock_timestamp() - make_interval(secs => $1)"
      + " AND one IN (SELECT one FROM \(schema).state FOR UPDATE SKIP LOCKED)"
  }

  /// The SQL that deletes at most some rows of the log before the horizon.
  var cleaning: String {
    "DELETE FROM \(schema).log WHERE xid IN (SELECT l.xid FROM \(schema).log AS l"
      + " WHERE l.xid < (SELECT horizon FROM \(schema).state) ORDER BY l.xid LIMIT $1)"
  }

  // MARK: The server's run

  /// Whether a program waits until all moments have ended, so that it can change the tables.
  var hasGateWaiting: Bool { gateIsWanted.load(ordering: .relaxed) }

  /// Whether the last poll has found no name of the server's run. Until somebody gives it one, each
  /// moment tells that everything may have changed.
  var lacksEpoch: Bool { needsEpoch.load(ordering: .relaxed) }

  /// Returns the statement that names the server's run, if the last poll has found no name.
  func takeEpoch() -> ServerStatement? {
    guard needsEpoch.exchange(false, ordering: .relaxed) else { return nil }
    return naming
  }

  private var naming: ServerStatement {
    ServerStatement(
      "INSERT INTO \(schema).epoch (id) VALUES (gen_random_uuid()) ON CONFLICT DO NOTHING")
  }

  /// Takes the state of news when a store is opened. From then on, nothing is missed.
  ///
  /// If the tables were restored on another server, the numbers of their transactions mean nothing
  /// there. So the log is emptied, and the server's run gets another name.
  func begin(on connection: ServerConnection, until deadline: Deadline) throws {
    let restored = ServerStatement(
      "WITH m AS (UPDATE \(schema).state SET horizon = '0', next_horizon = '0',"
        + " system = c.system_identifier FROM pg_control_system() AS c"
        + " WHERE system <> c.system_identifier RETURNING 1),"
        + " e AS (DELETE FROM \(schema).epoch USING m)"
        + " DELETE FROM \(schema).log USING m")
    _ = try connection.run([restored], until: deadline)
    _ = try connection.run([naming], until: deadline)
    try hear(connection.run([poll], until: deadline)[0], from: connection)
  }
}

extension StoredValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
#endif
