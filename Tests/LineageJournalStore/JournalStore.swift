package import ObjectGraph

import Synchronization

/// A store whose rows are made from a journal of commits.
///
/// It shows that a store on another engine is a module of its own: it knows no other store, and
/// nothing knows it.
package final class JournalStore: ObjectStore {
  package let journal: Journal
  package let model: Model
  package var id: String { journal.id }
  let queue = BackgroundQueue()
  private let inboxes = Inboxes()
  /// The tables as far as the store knows the journal.
  private let known: Mutex<JournalTables>

  init(_ journal: Journal, _ tables: JournalTables) {
    self.journal = journal
    model = tables.model
    known = Mutex(tables)
  }

  package func makeReader() throws -> any StoreReader { JournalReader(of: self) }

  package func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    if writes.isEmpty { return }
    defer { inboxes.wake() }
    try journal.exclusively {
      let tables = currentTables()
      let entry: Journal.Entry
      do {
        entry = try JournalCommit(writes, on: tables).entry
      } catch let conflict as CommitConflict {
        guard let settling else { throw conflict }
        entry = try JournalCommit(try settling(conflict), on: tables).entry
      }
      try known.withLock { tables in
        guard journal.append(entry) else {
          throw GraphError("save", .unknownOutcome("the journal has not answered"))
        }
        apply(entry, to: &tables, from: inbox)
      }
    }
  }

  package func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }

  package func lookForOthers() throws {
    _ = currentTables()
    inboxes.wake()
  }

  package func tellOfOthers() -> AnyObject? {
    journal.listen { [weak self] in try? self?.lookForOthers() }
  }

  /// Takes over what others have committed, and returns the tables by then.
  ///
  /// It wakes nobody, because a commit may be under way that reads.
  func currentTables() -> JournalTables {
    known.withLock { tables in
      for entry in journal.entries(from: tables.place) { apply(entry, to: &tables, from: nil) }
      return tables
    }
  }

  /// Takes over the next entry, and posts what it changed.
  private func apply(_ entry: Journal.Entry, to tables: inout JournalTables, from inbox: Inbox?) {
    tables.apply(entry)
    inboxes.post(News(entry), except: inbox)
  }
}

extension News {
  /// The rows that an entry changed.
  fileprivate init(_ entry: Journal.Entry) {
    self.init()
    for change in entry {
      if change.values == nil {
        deleted[change.entity, default: []].insert(change.id)
      } else {
        touched[change.entity, default: []].insert(change.id)
      }
    }
  }
}
