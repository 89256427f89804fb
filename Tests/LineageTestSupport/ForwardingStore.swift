package import Foundation
package import ObjectGraph

/// A store for tests that forwards calls to a base store. A conforming type implements only the
/// calls that it changes.
///
/// The store does not post commits of other processes on its own. Its contexts receive them only
/// after a call of ``postForeignCommits()``.
package protocol ForwardingStore: ObjectStore {
  /// The store that receives the forwarded calls.
  var base: any ObjectStore { get }
}

extension ForwardingStore {
  package func makeContext() -> ObjectContext { ObjectContext(store: self) }

  package var id: String { base.id }
  package var model: Model { base.model }
  package var now: Date { base.now }
  package func makeReader() throws -> any StoreReader { try base.makeReader() }
  package func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    try base.commit(writes, receipts, from: inbox, resolving: resolving)
  }
  package func receipts(of ids: [UUID]) throws -> [UUID: Int64] { try base.receipts(of: ids) }
  package func subscribe(_ inbox: Inbox) { base.subscribe(inbox) }
  package func postForeignCommits() throws { try base.postForeignCommits() }
  package func observeForeignCommits() -> AnyObject? { nil }
}

/// A reader that forwards calls to a base reader. A conforming type implements only the calls that
/// it changes.
package protocol ForwardingReader: StoreReader {
  /// The reader that receives the forwarded calls.
  var base: any StoreReader { get }
}

extension ForwardingReader {
  package func cursor(_ query: Query) throws -> any RowCursor { try base.cursor(query) }
  package func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    try base.row(id, of: entity, into: cells)
  }
  package func announce(_ ids: [Int64], of entity: Int) { base.announce(ids, of: entity) }
  package func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    try base.aggregate(aggregate, of: query)
  }
  package func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    try base.counts(of: query, by: column)
  }
  package func readRows(of statement: [StatementPiece]) throws -> any StatementRows {
    try base.readRows(of: statement)
  }
  package func canPage(_ query: Query) throws -> Bool { try base.canPage(query) }
  package var moment: Int { base.moment }
  package func begin() throws { try base.begin() }
  package func end() { base.end() }
  package func setTerms(_ terms: ReadTerms) { base.setTerms(terms) }
}

/// A reader of a base store, for a store that posts the news itself.
package final class PostingReader: ForwardingReader {
  package let base: any StoreReader
  private let store: any ObjectStore

  package init(_ base: any StoreReader, of store: any ObjectStore) {
    (self.base, self.store) = (base, store)
  }

  package func begin() throws {
    try base.begin()
    try store.postForeignCommits()
  }
}

/// A cursor that forwards calls to a base cursor. A conforming type implements only the calls that
/// it changes.
package protocol ForwardingCursor: RowCursor {
  /// The cursor that receives the forwarded calls.
  var base: any RowCursor { get }
}

extension ForwardingCursor {
  package func next() throws -> Int64? { try base.next() }
  package func load(into cells: CellRow) { base.load(into: cells) }
  package func close() { base.close() }
}
