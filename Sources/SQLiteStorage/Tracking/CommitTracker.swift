import Foundation
import ObjectGraph
import SQLStorage
import Synchronization

/// The file's commits as far as this process knows of them, and the way it learns of those of others.
///
/// A commit of a store leaves an entry in `lineage_log`, unless no other process is there to read it.
/// If there were more commits than entries, another program wrote, and everything may have changed.
final class CommitTracker: Sendable {
  /// The number by which this opening signs its commits.
  let writer: Int64
  let model: Model
  private let schema: SchemaWatch
  /// Seconds that each connection waits for others.
  private let timeout: Double
  /// Where commits are told of, under the lock: who asks later finds them there.
  private let inboxes: Inboxes
  private let known: Mutex<Known>

  private struct Known: ~Copyable {
    var generation: Int64
    var tail: LogTail
    /// The writing connection's data version after its last commit.
    var version: Version?
  }

  /// A data version, which only the connection that has it can compare.
  private struct Version: Equatable {
    let connection: Int
    let number: UInt32

    init(_ connection: Connection) {
      self.connection = connection.number
      number = connection.dataVersion
    }
  }

  /// A tracker of the commits from now on; a connection keeps the log where it is.
  init(
    path: String, generation: Int64, writer: Int64, timeout: Double, _ model: Model,
    _ schema: SchemaWatch, _ inboxes: Inboxes
  ) {
    self.writer = writer
    self.timeout = timeout
    self.inboxes = inboxes
    self.model = model
    self.schema = schema
    var tail = LogTail(path: path)
    let (_, place) = tail.count()
    tail.adopt(place)
    known = Mutex(Known(generation: generation, tail: tail))
  }

  /// Tells of the commits of others since the last look, on a connection that a closure lends if
  /// there are any. A commit that is not yet visible is left to the next look.
  func look(through lend: (_ body: (Connection) throws -> News) throws -> News) throws {
    try known.withLock { known in
      let (count, place) = known.tail.count()
      guard count != .commits(0) else { return }
      let news = try lend { try look($0, count, place, &known) }
      inboxes.post(news, except: nil)
    }
  }

  private func look(
    _ connection: Connection, _ count: LogTail.Count, _ place: LogPosition, _ known: inout Known
  ) throws -> News {
    let entries = try entries(after: known.generation, connection)
    if count == .commits(entries.count) { return adopt(entries, place, &known) }
    // Either another program wrote, or somebody is about to make a commit visible. Nobody is while
    // we hold the lock of writers.
    connection.wait(0)
    defer { connection.wait(timeout) }
    do {
      try connection.run("BEGIN IMMEDIATE")
    } catch let fault as Fault where fault.primary == 5 {
      // What is visible must be told; the next look tells it again.
      return news(of: entries)
    } catch let fault as Fault where fault.primary == 8 {
      return adopt(entries, place, &known, isComplete: false)
    }
    defer { connection.rollBack() }
    return try lookExactly(connection, &known)
  }

  /// Tells of the commits of others since the last look, inside a transaction that writes, when
  /// nobody else can commit.
  func lookWhileWriting(_ connection: Connection) throws {
    try known.withLock { known in
      // Mostly nobody has, and the connection knows it without reading the log.
      if known.version == Version(connection) { return }
      try schema.check(connection, "save")
      let news = try lookExactly(connection, &known)
      inboxes.post(news, except: nil)
    }
  }

  /// Commits, so that nobody who looks takes it for a commit of others, and tells all contexts but
  /// the one that saves.
  ///
  /// The generation is that of the commit's entry in the log, if it left one.
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
          to: connection.logPages, written: connection.takeWrittenPages(),
          pageSize: connection.pageSize)
      }
      if let generation { known.generation = generation }
      known.version = Version(connection)
      inboxes.post(news(), except: inbox)
    }
  }

  private func lookExactly(_ connection: Connection, _ known: inout Known) throws -> News {
    let (count, place) = known.tail.count()
    guard count != .commits(0) else { return News() }
    let entries = try entries(after: known.generation, connection)
    return adopt(entries, place, &known, isComplete: count == .commits(entries.count))
  }

  // MARK: Entries

  private struct LogEntry {
    let generation: Int64
    let writer: Int64
    let changes: [UInt8]?
  }

  private func entries(after generation: Int64, _ connection: Connection) throws -> [LogEntry] {
    try connection.rows(
      "SELECT generation, writer, changes FROM lineage_log WHERE generation > ?1",
      [.integer(generation)]
    ).compactMap { row in
      guard case .integer(let number) = row[0], case .integer(let writer) = row[1] else {
        return nil
      }
      let changes: [UInt8]? = if case .blob(let bytes) = row[2] { bytes } else { nil }
      return LogEntry(generation: number, writer: writer, changes: changes)
    }
  }

  private func adopt(
    _ entries: [LogEntry], _ place: LogPosition, _ known: inout Known, isComplete: Bool = true
  ) -> News {
    known.tail.adopt(place)
    if let last = entries.last { known.generation = last.generation }
    var news = news(of: entries)
    if !isComplete { news.isEverything = true }
    return news
  }

  private func news(of entries: [LogEntry]) -> News {
    var news = News()
    for entry in entries {
      guard entry.writer != writer else { continue }
      if let changes = entry.changes, let changed = ChangedIDs.unpack(changes, model) {
        news.merge(changed)
      } else {
        news.isEverything = true
      }
    }
    return news
  }
}
