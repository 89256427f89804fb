public import Foundation
public import ObjectGraph
import Synchronization

/// A store in one SQLite file that other programs can read.
///
/// ```swift
/// let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
/// let context = store.makeContext()
/// ```
///
/// Each entity is a table with its name, each property a column, and the id the primary key.
/// Opening a file that is already open in this process gives the same store.
public final class SQLiteStore: Store, ObjectStore {
  /// The random identifier that the store got when its file was created. It is part of each
  /// object's URI.
  public var id: String { name.withLock { $0 } }
  private let name: Mutex<String>
  /// The URL with which the file was opened.
  public let url: URL
  package let model: Model
  let options: StoreOptions
  /// The part of the store that contexts need.
  public var access: StoreAccess { StoreAccess(self, queue) }
  package var now: Date { options.now() }
  private let limits: FileLimits
  private let file: OpenFile
  private let writer: Writer
  private let tracker: CommitTracker
  private let queue = BackgroundQueue()
  private let hasEnded = Atomic(false)
  private let inboxes = Inboxes()
  private let polling = Mutex(Polling())
  /// The folder that is deleted when the store is closed; nil if the file is kept.
  private let doomed = Mutex<URL?>(nil)

  /// The poller that looks for commits of other processes. Each token of
  /// ``SQLiteStore/observeForeignCommits()`` is this one poller, because a server has many contexts
  /// in one process.
  private struct Polling {
    weak var poller: CommitPoller?
  }

  /// Creates the store of a file that an opening has accepted.
  init(
    _ pool: Pool, _ metadata: Metadata, url: URL, model: Model, options: StoreOptions,
    _ limits: FileLimits
  ) {
    name = Mutex(metadata.id)
    self.url = url
    self.model = model
    self.options = options
    self.limits = limits
    let tables = model.layouts.enumerated().map { FileTable($0, $1) }
    let schema = SchemaChangeCheck(metadata, model)
    file = OpenFile(pool, model, tables, readLimit: options.readLimit, schema)
    writer = Writer(pool, options, limits, tables)
    tracker = CommitTracker(
      path: pool.path, generation: metadata.generation, timeout: options.timeout, model, schema,
      inboxes)
  }

  deinit { close() }

  /// Ends all use of the file. Later reads and saves throw `closed`.
  ///
  /// The call waits for a commit that is under way. The store is closed for all of its users in
  /// this process.
  ///
  /// - Complexity: O(pages in the log), because the last connection copies the log into the file.
  public func close() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    writer.close()
    file.pool.close()
    if let folder = doomed.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
  }

  /// Makes the end of the store delete a folder, in which the file is.
  func deleteAtEnd(_ folder: URL) { doomed.withLock { $0 = folder } }

  /// Whether the store was closed. Some of its connections may still be open.
  var isClosed: Bool { file.pool.isClosed }

  package func makeReader() throws -> any StoreReader {
    guard !isClosed else { throw GraphError("read", .closed) }
    return Reader(file) { [self] in try postForeignCommits() }
  }

  package func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }

  /// Looks for commits of other processes, and posts them to the inboxes.
  package func postForeignCommits() throws {
    guard !isClosed else { throw GraphError("look for others' commits", .closed) }
    defer { inboxes.wake() }
    do {
      try tracker.look(through: file.pool.with)
    } catch let fault as SQLiteFault {
      throw file.error(fault, "look for others' commits")
    }
  }

  /// Returns a token. While at least one token of this function lives, the store looks for commits
  /// of other processes.
  ///
  /// The store polls its file, because SQLite notifies no other process of a commit.
  package func observeForeignCommits() -> AnyObject? {
    polling.withLock { polling -> CommitPoller in
      if let poller = polling.poller { return poller }
      let poller = CommitPoller { [weak self] in
        // The next merge gets the same error, and reports it.
        try? self?.postForeignCommits()
      }
      polling.poller = poller
      return poller
    }
  }

  package func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    guard !writes.isEmpty || !receipts.isEmpty else { return }
    defer { inboxes.wake() }
    try writer.exclusively("save") { statements in
      try statements.commit(writes, receipts, tracker, from: inbox, resolving: resolving)
      boundLog(statements.connection)
    }
  }

  package func fill(with contents: StoreContents) throws {
    defer { inboxes.wake() }
    try writer.exclusively("copy into \(url.path)") { statements in
      try statements.fill(with: contents, tracker)
      name.withLock { $0 = contents.id }
      boundLog(statements.connection)
    }
  }

  package func receipts(of ids: [UUID]) throws -> [UUID: Int64] {
    do {
      return try file.pool.with { try ReceiptTable.counts(of: ids, $0) }
    } catch let fault as SQLiteFault {
      throw file.error(fault, "look for receipts")
    }
  }

  /// Calls a closure with a new connection, and closes the connection afterwards. Long work uses it
  /// instead of a connection that contexts share.
  func withOwnConnection<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try file.pool.open()
    defer { connection.close() }
    return try body(connection)
  }

  /// The counts of all operations for writing so far, for tests.
  package var writeCounts: Counts { writer.counted }

  /// The counts of the operations of idle connections for reading, for tests. The operations of a
  /// moment are included once the moment has ended.
  package var readCounts: Counts { file.pool.counted }

  /// The number of connections for reading, without the connections for long work. Only tests use
  /// it.
  package var readConnections: Int { file.pool.sharedCount }

  /// Copies the log into the file if the log has grown to its limit. If readers prevent this and
  /// the log has at least four times that length, ends the moments of idle contexts and copies
  /// again.
  private func boundLog(_ connection: Connection) {
    guard connection.logPages >= limits.logPages else { return }
    let (log, copied) = connection.handle.checkpoint()
    guard copied < log, log >= limits.logPages * 4 else { return }
    file.pool.endIdleMoments()
    connection.handle.checkpoint()
  }
}
