package import Foundation
package import ObjectGraph

import Synchronization

/// A store whose rows result from the entries of a journal.
///
/// It shows that a store for another engine can be a module of its own. This module depends only on
/// ObjectGraph, and only tests depend on this module.
package final class JournalStore: ObjectStore {
  package let journal: Journal
  package let model: Model
  package var id: String { journal.id }
  let queue = BackgroundQueue()
  private let inboxes = Inboxes()
  /// The tables after all entries that the store has read so far.
  private let known: Mutex<JournalTables>

  init(_ journal: Journal, _ tables: JournalTables) {
    self.journal = journal
    model = tables.model
    known = Mutex(tables)
  }

  package func makeReader() throws -> any StoreReader { JournalReader(of: self) }

  package func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    if writes.isEmpty, receipts.isEmpty { return }
    defer { inboxes.wake() }
    try journal.exclusively {
      let tables = currentTables()
      let entry = try CommitConflict.retrying(writes, by: resolving, { tables[$0, $1] }) {
        try JournalCommit($0, on: tables).entry
      }
      try known.withLock { tables in
        guard journal.append(entry, receipts) else {
          throw GraphError("save", .unknownOutcome("the journal has not answered"))
        }
        apply(entry, to: &tables, from: inbox)
      }
    }
  }

  package func receipts(of ids: [UUID]) throws -> [UUID: Int64] { journal.receipts(of: ids) }

  package func subscribe(_ inbox: Inbox) { inboxes.add(inbox) }

  package func postForeignCommits() throws {
    _ = currentTables()
    wake()
  }

  /// Tells the contexts of news that was posted to their inboxes.
  func wake() { inboxes.wake() }

  package func observeForeignCommits() -> AnyObject? {
    journal.listen { [weak self] in try? self?.postForeignCommits() }
  }

  /// Applies the entries that the store has not read yet, and returns the new tables.
  ///
  /// The news is posted to the inboxes, but their closures are not called, because this function
  /// also runs under the lock of a commit.
  func currentTables() -> JournalTables {
    known.withLock { tables in
      for entry in journal.entries(from: tables.place) { apply(entry, to: &tables, from: nil) }
      return tables
    }
  }

  /// Applies the next entry to the tables. Posts the news of the entry to all inboxes except
  /// `inbox`.
  private func apply(_ entry: Journal.Entry, to tables: inout JournalTables, from inbox: Inbox?) {
    tables.apply(entry)
    inboxes.post(News(entry), except: inbox)
  }
}

extension News {
  /// Creates the news of an entry: the ids of the rows that it changed.
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
