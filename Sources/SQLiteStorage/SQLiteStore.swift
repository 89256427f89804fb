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
/// Each entity is a table with its name, each property a column, and the id the primary key. Opening
/// a file that is open in this process already gives the very same store.
public final class SQLiteStore: ObjectStore {
  /// Drawn when the file was created; part of each URI.
  public let id: String
  /// Where the file was when it was opened.
  public let url: URL
  package let model: Model
  let options: StoreOptions
  let tables: [Table]
  let pool: Pool
  let writer: Writer
  let watch: Watch
  private let schema: SchemaWatch
  private let presence: Presence
  let identity: FileCheck.Identity
  let queue = BackgroundQueue()
  private let hasEnded = Atomic(false)
  private let inboxes: Inboxes

  init(_ found: FoundStore, url: URL, model: Model, tables: [Table], options: StoreOptions) {
    id = found.metadata.id
    self.url = url
    self.model = model
    self.options = options
    self.tables = tables
    pool = Pool(
      path: found.path, mode: found.mode, timeout: options.timeout, tableCount: tables.count,
      first: found.connection)
    writer = Writer(path: found.path, options: options, tables: tables)
    identity = found.identity
    presence = found.presence
    let schema = SchemaWatch(found.metadata, model)
    self.schema = schema
    let inboxes = Inboxes()
    self.inboxes = inboxes
    watch = Watch(
      path: found.path, generation: found.metadata.generation, writer: found.writer, model, schema,
      inboxes)
  }

  deinit { close() }

  /// Ends all use of the file; what is used afterwards throws `closed`.
  ///
  /// Waits for a commit that is under way. All who share the store lose it.
  public func close() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    writer.close()
    pool.close { [identity, presence] in
      presence.end()
      Registry.shared.ended(identity)
    }
    for moment in pool.moments { moment.endForGood() }
  }

  /// Other processes may write the file.
  package var isShared: Bool { true }

  package func makeReader() throws -> any StoreReader {
    guard !pool.isClosed else { throw GraphError("read", .closed) }
    return Reader(self)
  }

  package func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }

  package func lookForOthers() throws {
    guard !pool.isClosed else { throw GraphError("look for others' commits", .closed) }
    defer { inboxes.wake() }
    do {
      try watch.look(pool)
    } catch let fault as Fault {
      throw error(fault, "look for others' commits")
    }
  }

  package func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    guard !writes.isEmpty else { return }
    defer { inboxes.wake() }
    try writer.exclusively("save") { statements in
      try statements.commit(writes, watch, presence, from: inbox, settling: settling)
      boundLog(statements.connection)
    }
  }

  /// What SQLite said while something was read, in the graph's words; a table or column that is
  /// missing may have been there before another process migrated the file.
  func error(_ fault: Fault, _ attempted: String) -> GraphError {
    if fault.isMisunderstanding {
      do {
        try pool.with { try schema.check($0, attempted) }
      } catch let error as GraphError {
        return error
      } catch {}
    }
    return fault.error(attempted, waited: options.timeout)
  }

  /// What writing has prepared and stepped so far, for tests.
  package var writeCounts: Counts { writer.counted }

  /// What reading has prepared, stepped and read; moments under way do not count yet.
  package var readCounts: Counts { pool.counted }

  /// The connections for reading that exist, but for those of long work; for tests.
  package var readConnections: Int { pool.sharedCount }

  /// Copies the log into the file when it has grown; if readers hold it back for long, ends the
  /// moments of contexts that are idle.
  private func boundLog(_ connection: Connection) {
    guard connection.logPages >= options.logPages else { return }
    let (log, copied) = connection.checkpoint()
    guard copied < log, log >= options.logPages * 4 else { return }
    for moment in pool.moments { moment.endIfIdle() }
    connection.checkpoint()
  }
}

extension News {
  init(_ writes: [Write]) {
    self.init()
    for write in writes {
      if case .delete = write.kind {
        deleted[write.entity, default: []].insert(write.id)
      } else {
        touched[write.entity, default: []].insert(write.id)
      }
    }
    for (entity, ids) in touched { deleted[entity]?.subtract(ids) }
  }
}
