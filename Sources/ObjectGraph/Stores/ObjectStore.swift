package import Foundation

/// The store of a root context. It returns rows, commits writes, and posts news of others' commits.
///
/// A store depends neither on contexts nor on the generic types of entities.
package protocol ObjectStore: AnyObject, Sendable {
  /// The id of the store, which never changes and is part of each object's URI. Unless the program
  /// chooses an id, it is drawn at random when the store is created.
  var id: String { get }
  var model: Model { get }
  /// The present date, for ``WillSave``. By default, it is the system's.
  var now: Date { get }

  /// Returns a new reader, which the contexts of one root use.
  func makeReader() throws -> any StoreReader

  /// Writes all rows and receipts, or throws and writes none.
  ///
  /// Deletes come first, then updates, then inserts. The commit throws `CommitConflict` if the row
  /// of an update is missing. It also throws this error if a column that a checked update writes no
  /// longer has the value that the write's base has for it. For a checked delete, it throws this
  /// error if the row was changed or is missing.
  ///
  /// If there is a conflict and `resolving` is given, the store calls this closure while no other
  /// commit can write these rows. The store then commits the writes that the closure returns. If they
  /// are in conflict too, because they concern other rows, it asks again, at most seven times; see
  /// ``CommitConflict/retrying(_:by:_:_:)``. The closure reads rows by the function that it gets.
  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws

  /// Writes all rows of another store into this one, which must be empty, and takes the other store's id;
  /// or throws and writes nothing. All inboxes get the news that everything may have changed.
  func fill(with contents: StoreContents) throws

  /// Returns the counts of the last receipts with some ids. An id without a receipt has none.
  func receipts(of ids: [UUID]) throws -> [UUID: Int64]

  /// Registers an inbox, to which the store posts others' commits from now on. The store does not
  /// retain the inbox.
  func subscribe(_ inbox: Inbox)

  /// Posts commits of other processes to the inboxes, because the program asks for them. This function
  /// may be called on any thread.
  ///
  /// When the call returns, the inboxes have the news of all commits that were made before the call.
  func postForeignCommits() throws

  /// Returns a token. While the token is retained, the store looks for commits of other processes
  /// and posts them to the inboxes. The result is nil if no other process commits to the store.
  ///
  /// The function returns at once and may be called on any thread. Longer preparations run in the
  /// background. After them, the store looks once for commits that were made until then. If it may
  /// have missed some of them, it posts that everything may have changed. If any of this fails, the
  /// next ``postForeignCommits()`` throws the error.
  ///
  /// The function has no default implementation. With one, a store could lack this function and
  /// still compile. Live lists would then never show the commits of other processes.
  func observeForeignCommits() -> AnyObject?
}

extension ObjectStore {
  /// Writes all rows, or throws and writes none. A conflict is always thrown.
  package func commit(_ writes: [Write], from inbox: Inbox?) throws {
    try commit(writes, [], from: inbox, resolving: nil)
  }

  /// Returns the values of a row as a new reader sees them; nil if there is no such row.
  package func row(_ entity: Int, _ id: Int64) throws -> [StoredValue]? {
    let reader = try makeReader()
    defer { reader.end() }
    let columns = model.layouts[entity].columns.indices
    let cells = CellRow(count: columns.count)
    return try reader.row(id, of: entity, into: cells) ? columns.map { cells[$0].stored } : nil
  }
}

/// A reader of rows. All its reads in one moment (read transaction) see the same rows.
///
/// The first read begins a moment, which lasts until `end`. While no cursor is open, the store may
/// end the moment earlier to free a resource. Such a resource is a connection that another reader
/// needs, or a log that a writer wants to cut. The next read then begins another moment with
/// another number.
///
/// While the terms keep the moment, only `end` ends it. A store in memory, or another store whose
/// moments cost nothing, never ends a moment on its own. A cursor that is open at `end` continues
/// with the rows of its moment.
///
/// A reader is confined to the isolation of its contexts. A query throws `cancelled` if its task,
/// or the background work to which it belongs, is cancelled while the query runs.
package protocol StoreReader: AnyObject {
  /// Returns a cursor over the rows of a query.
  func cursor(_ query: Query) throws -> any RowCursor
  /// Loads the columns of one row, in the layout's order. Returns false if the row does not exist.
  /// The cells are valid until the next read.
  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool
  /// Announces that the context will read these rows of an entity, one by one and in one moment.
  ///
  /// A store on a network reads all of them in one round trip and keeps them until the moment ends.
  /// The context reads most of the announced rows, and may also read other rows. A call has at
  /// least two and at most 500 ids, each once. If reading the rows in advance fails, the later read
  /// of a row throws the error.
  ///
  /// The default implementation does nothing, because a store in a file or in memory reads rows
  /// best one by one. A network store without this function makes more round trips, but returns the
  /// same rows.
  func announce(_ ids: [Int64], of entity: Int)
  /// Announces that the context will open a cursor over the rows of a query as its next read. The
  /// context calls it only if no moment is under way.
  ///
  /// A store on a network opens the cursor in the round trip in which the moment begins. The default
  /// implementation does nothing.
  func announce(_ query: Query)
  /// Returns a figure over the rows of a query. If there are no rows, a count is zero, and any
  /// other figure is null.
  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue
  /// Returns how many rows of a query have each value of a column. The query's order, limit and
  /// offset are ignored. Values that are equal as the column's type sees it, such as texts that are
  /// canonically equivalent, may be counted apart.
  func counts(of query: Query, by column: Int) throws -> [StoredValue: Int]
  /// Returns the rows of one statement that only reads.
  ///
  /// - Throws: An error if the store runs no statements, or if the statement could write.
  func readRows(of statement: [StatementPiece]) throws -> any StatementRows
  /// Returns whether the engine itself finds and orders the rows of a query. Only then can a windowed
  /// list page through them.
  func canPage(_ query: Query) throws -> Bool
  /// The number of the current moment (read transaction); zero if there is none.
  var moment: Int { get }
  /// Begins a moment (read transaction), unless one is under way.
  ///
  /// When the call returns, the inboxes have the news of all commits that the moment shows, including
  /// those of this process. The context calls it at the first read of each moment, even if that read
  /// has begun the moment. A store on a server needs one round trip for the moment and its news, and
  /// none if it has posted the news already.
  func begin() throws
  /// Ends the moment, without waiting for anything. The next read begins another moment. While a
  /// cursor is open, a store may go on with the moment of the cursor.
  func end()
  /// Sets the conditions under which later reads run. Before the first call, these are
  /// `ReadTerms()`.
  ///
  /// The function has no default implementation. If a reader ignored the terms, a cancelled task
  /// could interrupt a save, and a moment could end between reads that belong together.
  func setTerms(_ terms: ReadTerms)
}

extension StoreReader {
  /// Does nothing, because reading a row by its id costs no round trip.
  package func announce(_: [Int64], of _: Int) {}

  /// Does nothing, because beginning a moment costs no round trip.
  package func announce(_: Query) {}

  /// Throws an error, because the store has no language for statements.
  package func readRows(of _: [StatementPiece]) throws -> any StatementRows {
    throw GraphError("run a statement", .statement("the store runs no statements"))
  }

  /// Returns true, because a store in memory finds any rows itself.
  package func canPage(_: Query) throws -> Bool { true }
}

/// A cursor over the rows of a query. Several cursors of a reader may be open at the same time.
package protocol RowCursor: AnyObject {
  /// Advances to the next row and returns its id; nil after the last row. The resources of the
  /// cursor are then released.
  func next() throws -> Int64?
  /// Loads the columns of the current row, in the layout's order. The cells are valid until
  /// `next()` is called again.
  func load(into cells: CellRow)
  /// Closes the cursor early and releases its resources.
  func close()
  /// The number of rows that are at hand. The cursor may have more.
  var rowsAtHand: Int { get }
}

extension RowCursor {
  package var rowsAtHand: Int { 0 }
}

extension ObjectStore {
  package var now: Date { Date() }
}
