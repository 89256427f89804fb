#if Postgres
package import Foundation
public import ObjectGraph
public import SQLStorage
import Synchronization

/// A store on a PostgreSQL server, which any number of programs on any number of machines can share.
///
/// ```swift
/// let store = try await PostgresStore.open(
///   PostgresOptions("postgresql://cards@db.example.org/cards"), [Card.self, Deck.self])
/// let context = store.makeContext()
/// ```
///
/// Each entity is a table with its name, each property a column, and the id the primary key.
public final class PostgresStore: Store, ObjectStore {
  /// The identifier that the store got when it was created. It is part of each object's URI.
  public var id: String { name.withLock { $0 } }
  private let name: Mutex<String>
  let server: Server
  private let writer: ServerWriter
  private let queue = BackgroundQueue()
  private let hasEnded = Atomic(false)
  private let keeper: Keeper
  private let polling = Mutex<Polling>(Polling())

  private struct Polling {
    weak var token: NewsPolling?
  }

  /// The part of the store that contexts need.
  public var access: StoreAccess { StoreAccess(self, queue) }
  package var model: Model { server.tables.model }
  package var now: Date { server.options.now() }

  init(
    _ options: PostgresOptions, _ model: Model, _ connecting: Connecting, _ id: String,
    _ version: Int
  ) {
    name = Mutex(id)
    let pool = ServerPool(options, connecting)
    server = Server(options, model, pool, Inboxes(), connecting.generation, version: version)
    writer = ServerWriter(server, connecting)
    keeper = Keeper(server, connecting)
    keeper.start()
  }

  deinit { close() }

  /// Ends all use of the server. Later reads and saves throw `closed`.
  ///
  /// - Complexity: O(connections).
  public func close() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    keeper.end()
    writer.close()
    server.pool.close()
  }

  /// The number of trips to the server so far, without those that only ask for news.
  package var trips: Int { server.pool.trips.number }

  package func makeReader() throws -> any StoreReader {
    guard !server.pool.isClosed else { throw GraphError("read", .closed) }
    return ServerReader(server, keeping: self)
  }

  package func subscribe(_ inbox: Inbox) { server.inboxes.add(inbox) }

  package func postForeignCommits() throws {
    try server.reading("look for others' commits") {
      try server.pool.with { connection in
        try server.news.hear(
          connection.run([server.news.poll], until: server.pool.deadline)[0], from: connection)
      }
    }
  }

  package func observeForeignCommits() -> AnyObject? {
    polling.withLock { polling in
      if let token = polling.token { return token }
      let token = NewsPolling(keeper)
      polling.token = token
      return token
    }
  }

  package func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    guard !writes.isEmpty || !receipts.isEmpty else { return }
    defer { server.inboxes.wake() }
    try writer.commit(writes, receipts, from: inbox, resolving: resolving)
  }

  package func fill(with contents: StoreContents) throws {
    defer { server.inboxes.wake() }
    try writer.fill(with: contents)
    name.withLock { $0 = contents.id }
  }

  package func receipts(of ids: [UUID]) throws -> [UUID: Int64] {
    guard !ids.isEmpty else { return [:] }
    let list = "{\(ids.map(\.uuidString).joined(separator: ","))}"
    let statement = ServerStatement(
      "SELECT id, count FROM \(quoted(server.options.ownSchema)).receipts WHERE id = ANY ($1::uuid[])",
      ServerParameters(untyped: [list]))
    let result = try server.reading("look for receipts") {
      try server.pool.with { try $0.run([statement], until: server.pool.deadline)[0] }
    }
    return (0..<result.rowCount).reduce(into: [:]) { counts, row in
      result.forgetCells()
      guard let id = result.cell(row, 0).stored.text.flatMap({ UUID(uuidString: $0) }) else {
        return
      }
      counts[id] = result.cell(row, 1).integer
    }
  }
}

extension PostgresStore {
  /// Opens a store on a server, or creates its tables if there are none, or brings them up to date.
  ///
  /// Other programs may use the store meanwhile. If several programs open it at once, one of them changes
  /// the tables, and the others wait for it. If the task is cancelled, the opening ends early.
  ///
  /// - Throws: An `OpeningError` if the opening gives no store.
  /// - Complexity: Some trips to the server. Steps of a migration, and new indexes, may take longer.
  public static func open(
    _ options: PostgresOptions, _ entities: [any Entity.Type], migrations: [Migration] = [],
    progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async throws -> PostgresStore {
    try await opening(options, entities, migrations: migrations, progress: progress)
      .opened(at: options.url)
  }

  /// Returns the SQL that makes all tables of a store, and grants a role what the program needs, for a
  /// database in which the program itself may not create anything.
  ///
  /// ```swift
  /// print(try PostgresStore.script(for: [Card.self, Deck.self], role: "cards"))
  /// ```
  ///
  /// The program then opens the store with ``PostgresOptions/SchemaManagement/assumeExists``.
  ///
  /// - Throws: An error with all mistakes in the schemas of the entities.
  public static func script(
    for entities: [any Entity.Type], schema: String = "public", role: String,
    migrations: [Migration] = []
  ) throws -> String {
    var options = PostgresOptions("")
    options.schema = schema
    let version = migrations.map(\.version).max() ?? 1
    return try StoreSchema(Model(entities), options).script(for: role, version: version)
  }

  /// Opens a store on a server, or creates its tables if there are none, or brings them up to date.
  /// Returns the store, or the reason why there is none.
  ///
  /// - Complexity: As for ``open(_:_:migrations:progress:)``.
  public static func opening(
    _ options: PostgresOptions, _ entities: [any Entity.Type], migrations: [Migration] = [],
    progress: (@Sendable (OpeningProgress) -> Void)? = nil
  ) async -> Opening<PostgresStore> {
    await onOwnThread { cancellation in
      do {
        let migrator = Migrator(
          try Model(entities), migrations, cancellation: cancellation,
          progress: progress ?? { _ in })
        return try ServerOpener(options, migrator).run()
      } catch let refusal as Refusal {
        return refusal.opening.refusing()
      } catch is CancellationError {
        return .cancelled
      } catch {
        return .failed(error as? GraphError ?? GraphError("open", .other("\(error)")))
      }
    }
  }
}
#endif
