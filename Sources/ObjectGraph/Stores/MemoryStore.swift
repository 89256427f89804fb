import Foundation
import Synchronization

/// A store that keeps everything in memory, for as long as it lives.
///
/// It is the reference: what another store does differently is wrong. It finds rows by id, by
/// relation and by what is unique or indexed, looks through all rows for anything else, and is meant
/// for tests, previews, and data that nobody must keep.
///
/// ```swift
/// let store = try MemoryStore([Card.self, Deck.self])
/// let context = store.makeContext()
/// ```
public final class MemoryStore: ObjectStore {
  /// Drawn when the store was created; part of each URI.
  public let id = UUID().uuidString.lowercased()
  package let model: Model
  /// The tables of the last commit; the lock is held for an instant only.
  private let tables: Mutex<MemoryTables>
  /// Held for the whole of a commit, so that commits and their news come one after the other.
  private let writing = Mutex(Writing())
  private let inboxes = Inboxes()
  let queue = BackgroundQueue()
  private let visits = MemoryTables.Visits()

  private struct Writing {
    var nextFailure: GraphError?
  }

  /// Throws all mistakes of the entities' schemas at once.
  public init(_ entities: [any Entity.Type]) throws {
    model = try Model(entities)
    tables = Mutex(MemoryTables(model, visits))
  }

  package func makeReader() throws -> any StoreReader { MemoryReader(of: self) }

  /// The tables as they are now; what is committed later does not change them.
  var snapshot: MemoryTables { tables.withLock { $0 } }

  package func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    defer { inboxes.wake() }
    try writing.withLock { writing in
      if let failure = writing.nextFailure {
        writing.nextFailure = nil
        throw failure
      }
      let commit: MemoryCommit
      do {
        commit = try MemoryCommit(writes, on: snapshot)
      } catch let conflict as CommitConflict {
        guard let settling else { throw conflict }
        commit = try MemoryCommit(try settling(conflict), on: snapshot)
      }
      tables.withLock { $0 = commit.tables }
      inboxes.post(commit.news, except: inbox)
    }
  }

  package func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }

  /// Memory has no other processes; a commit of this one is posted once nobody is writing.
  package func lookForOthers() throws { writing.withLock { _ in } }

  /// For tests: how many rows were looked at so far.
  package var visitedRows: Int { visits.count }

  /// For tests: the next commit writes nothing and throws.
  package func failNextCommit(with error: GraphError) {
    writing.withLock { $0.nextFailure = error }
  }
}
