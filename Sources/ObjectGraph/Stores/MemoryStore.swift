public import Foundation
import Synchronization

/// A store that keeps all rows in memory. They are lost when the store is released.
///
/// The store is meant for tests, previews and data that need not persist. It is also the reference
/// for other stores: a store that behaves differently is wrong.
///
/// The store has indexes for ids, for relations, and for properties that are unique or indexed. For
/// all other requests, it looks at each row of the entity.
///
/// ```swift
/// let store = try MemoryStore([Card.self, Deck.self])
/// let context = store.makeContext()
/// ```
public final class MemoryStore: Store, ObjectStore {
  /// The id of the store, which is part of each object's URI.
  public var id: String { name.withLock { $0 } }
  private let name: Mutex<String>
  package let model: Model
  /// The tables after the last commit. The lock is held only while the tables are copied or
  /// replaced.
  private let tables: Mutex<MemoryTables>
  /// The lock that is held during a whole commit. Commits and their news therefore come one after
  /// the other.
  private let writing = Mutex(Writing())
  private let inboxes = Inboxes()
  private let queue = BackgroundQueue()
  private let visits = MemoryTables.Visits()
  private let clock: @Sendable () -> Date

  private struct Writing {
    var nextFailure: GraphError?
    var receipts: [UUID: Receipt] = [:]
  }

  /// Creates an empty store with the given id, or with a random id if `id` is nil.
  ///
  /// References to the store's objects may outlive the process, for example in restored state. They
  /// lead to objects in another process only if the store of that process has the same id.
  ///
  /// `now` is the clock for ``SaveMoment/date``.
  ///
  /// - Throws: ``GraphError/Reason/schema(_:)`` with all mistakes in the schemas of the entities.
  /// - Precondition: The id consists of letters, digits and hyphens.
  /// - Complexity: At most quadratic in the number of entities and properties, because the schemas
  ///   are compared with each other.
  public init(
    _ entities: [any Entity.Type], id: String? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
    precondition(
      id?.isEmpty != true && id?.allSatisfy(allowed.contains) != false,
      "The id of a store consists of letters, digits and hyphens: \(id ?? "")")
    name = Mutex(id ?? UUID().uuidString.lowercased())
    model = try Model(entities)
    clock = now
    tables = Mutex(MemoryTables(model, visits))
  }

  /// The part of the store that contexts need.
  public var access: StoreAccess { StoreAccess(self, queue) }
  package var now: Date { clock() }

  package func makeReader() throws -> any StoreReader { MemoryReader(of: self) }

  /// A copy of the current tables, which later commits do not change.
  var snapshot: MemoryTables { tables.withLock { $0 } }

  package func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    defer { inboxes.wake() }
    try writing.withLock { writing in
      if let failure = writing.nextFailure {
        writing.nextFailure = nil
        throw failure
      }
      let before = snapshot
      let commit = try CommitConflict.retrying(writes, by: resolving, { before[$0, $1] }) {
        try MemoryCommit($0, on: before)
      }
      tables.withLock { $0 = commit.tables }
      writing.receipts.keep(receipts)
      inboxes.post(commit.news, except: inbox)
    }
  }

  package func fill(with contents: StoreContents) throws {
    defer { inboxes.wake() }
    var writes: [Write] = []
    try contents.forEachBatch { writes += $0 }
    try writing.withLock { _ in
      let before = snapshot
      guard before.isEmpty else { throw GraphError.isFilled }
      let commit = try MemoryCommit(writes, on: before)
      tables.withLock { $0 = commit.tables }
      name.withLock { $0 = contents.id }
      inboxes.post(News(isEverything: true), except: nil)
    }
  }

  package func receipts(of ids: [UUID]) throws -> [UUID: Int64] {
    writing.withLock { $0.receipts.counts(of: ids) }
  }

  package func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }

  /// Waits until no commit is running. Then all commits have posted their news, because a commit
  /// posts before it ends. Other processes cannot commit, because memory is not shared.
  package func postForeignCommits() throws { writing.withLock { _ in } }

  /// Returns nil, because memory is not shared with other processes.
  package func observeForeignCommits() -> AnyObject? { nil }

  /// The number of rows that the store has examined so far. Tests check it.
  package var visitedRows: Int { visits.count }

  /// Makes the next commit throw an error and write nothing. Tests call it.
  package func failNextCommit(with error: GraphError) {
    writing.withLock { $0.nextFailure = error }
  }
}
