import Foundation
import ObjectGraph
import SQLStorage
import Synchronization

/// The search for commits of other processes, with the position up to which this process knows
/// them.
///
/// A store's commit leaves an entry in `lineage_log` if another process has the file open. If there
/// are more commits than entries, some commit left no entry, and any row may have changed.
final class CommitTracker: Sendable {
  /// A random number for this opening. The entries of its commits in `lineage_log` have it as their
  /// `writer`.
  let writer = Int64.random(in: 1...Int64.max)
  let model: Model
  private let schema: SchemaChangeCheck
  /// The longest time that a connection waits for a lock of another connection, in seconds.
  private let timeout: Double
  /// The inboxes of the contexts. Commits are posted to them under the lock of ``known``. So once a
  /// search has this lock, the inboxes have all commits that earlier searches found.
  private let inboxes: Inboxes
  private let known: Mutex<Known>

  private struct Known: ~Copyable {
    var generation: Int64
    var tail: LogTail
  }

  /// Creates a tracker of the commits from now on. As long as the tracker is used, a connection
  /// must be open. Otherwise SQLite could delete the log and make another one.
  init(
    path: String, generation: Int64, timeout: Double, _ model: Model,
    _ schema: SchemaChangeCheck, _ inboxes: Inboxes
  ) {
    self.timeout = timeout
    self.inboxes = inboxes
    self.model = model
    self.schema = schema
    var tail = LogTail(path: path)
    tail.place = tail.count().1
    known = Mutex(Known(generation: generation, tail: tail))
  }

  /// Posts to the inboxes the commits that others have made since the last search.
  ///
  /// The closure `lend`, which provides a connection, is called only if there are such commits. A
  /// commit that is in the log but not visible yet is left to the next call.
  func look(through lend: (_ body: (Connection) throws -> News) throws -> News) throws {
    try known.withLock { known in
      let (count, place) = known.tail.count()
      guard count != 0 else { return }
      let news = try lend { try look($0, count, place, &known) }
      inboxes.post(news, except: nil)
    }
  }

  private func look(
    _ connection: Connection, _ count: Int?, _ place: LogPosition, _ known: inout Known
  ) throws -> News {
    let entries = try entries(after: known.generation, connection)
    // If no commit came between both looks, as many entries as commits are all that happened.
    if count == entries.count, known.tail.count().0 == count {
      return adopt(entries, place, &known)
    }
    // Either another program wrote, or a commit is in the log but not visible yet. The lock for
    // writing excludes the second case.
    connection.setLockTimeout(0)
    defer { connection.setLockTimeout(timeout) }
    do {
      try connection.run("BEGIN IMMEDIATE")
    } catch let fault as SQLiteFault where fault.primary == 5 {
      // Visible commits must be posted now. The next call posts them again.
      return news(of: entries)
    } catch let fault as SQLiteFault where fault.primary == 8 {
      return adopt(entries, place, &known, isComplete: false)
    }
    defer { connection.rollBack() }
    return try lookExactly(connection, &known)
  }

  /// Posts to the inboxes the commits that others have made since the last search, inside a
  /// transaction that writes.
  ///
  /// It runs after `BEGIN IMMEDIATE`, when no other connection can commit. It reads the log and
  /// checks the schema only if the connection's data version has changed.
  func lookWhileWriting(_ connection: Connection) throws {
    try known.withLock { known in
      // With the same data version, no other connection has committed.
      if connection.committedVersion == connection.handle.dataVersion { return }
      try schema.check(connection, "save")
      let news = try lookExactly(connection, &known)
      inboxes.post(news, except: nil)
    }
  }

  /// Calls `commit` under the lock of ``known``, so that no search counts this commit as one of
  /// another process. Then posts the news to all inboxes except that of the saving context.
  ///
  /// `generation` is the number of the commit's entry in `lineage_log`; nil if it has no entry.
  func committing(
    _ generation: Int64?, on connection: Connection, _ news: @autoclosure () -> News,
    from inbox: Inbox?, _ commit: () throws -> Void
  ) rethrows {
    try known.withLock { known in
      connection.logPages = 0
      try commit()
      // A commit that changes nothing leaves nothing in the log.
      if connection.logPages > 0 {
        known.tail.skip(
          to: connection.logPages, written: connection.handle.takeWrittenPages(),
          pageSize: connection.pageSize)
      }
      if let generation { known.generation = generation }
      connection.committedVersion = connection.handle.dataVersion
      inboxes.post(news(), except: inbox)
    }
  }

  private func lookExactly(_ connection: Connection, _ known: inout Known) throws -> News {
    let (count, place) = known.tail.count()
    guard count != 0 else { return News() }
    let entries = try entries(after: known.generation, connection)
    return adopt(entries, place, &known, isComplete: count == entries.count)
  }

  // MARK: Entries

  private typealias LogEntry = (generation: Int64, news: News)

  private func entries(after generation: Int64, _ connection: Connection) throws -> [LogEntry] {
    try connection.rows(
      "SELECT generation, writer, changes FROM lineage_log WHERE generation > ?1",
      [.integer(generation)]
    ).compactMap { row in
      guard let number = row[0].integer else { return nil }
      if row[1].integer == writer { return (number, News()) }
      let changed: News? =
        if case .blob(let bytes) = row[2] { ChangedIDs.unpack(bytes, model) } else { nil }
      return (number, changed ?? News(isEverything: true))
    }
  }

  private func adopt(
    _ entries: [LogEntry], _ place: LogPosition, _ known: inout Known, isComplete: Bool = true
  ) -> News {
    known.tail.place = place
    if let last = entries.last { known.generation = last.generation }
    var news = news(of: entries)
    if !isComplete { news.isEverything = true }
    return news
  }

  private func news(of entries: [LogEntry]) -> News {
    entries.reduce(into: News()) { $0.merge($1.news) }
  }
}
