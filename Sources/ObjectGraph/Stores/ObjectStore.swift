/// The store of a root context. It returns rows, commits writes, and posts news of others' commits.
///
/// A store knows neither contexts nor the generic types of entities, so that all stores are
/// independent of both.
package protocol ObjectStore: AnyObject, Sendable {
  /// The id of the store, which is drawn at random at its creation. It is part of each object's
  /// URI.
  var id: String { get }
  var model: Model { get }

  /// Returns a reader for one context.
  func makeReader() throws -> any StoreReader

  /// Writes all rows, or throws and writes none.
  ///
  /// Deletes come first, then updates, then inserts. The commit throws `CommitConflict` if a
  /// checked column of an update no longer has the value in the write's base, or if the row is
  /// gone. It also throws if a row to delete was changed or is missing.
  ///
  /// If there is a conflict and `settling` is given, the store calls this closure while no other
  /// commit can write. It then commits the writes that the closure returns. The closure may only
  /// read from the store.
  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws

  /// Registers an inbox, to which commits of others are posted from now on. The inbox is not
  /// retained.
  func subscribe(_ inbox: Inbox)

  /// Looks for commits of other processes and posts them to the inboxes. It may be called on any
  /// thread.
  ///
  /// When the call returns, the inboxes have all commits that are visible in a moment (read
  /// transaction) begun before the call. This includes commits of this process.
  func lookForOthers() throws

  /// Returns a token. While the token is retained, the store posts commits of other processes to
  /// the inboxes without being asked. The result is nil if no other process commits to the store.
  ///
  /// The function returns at once and may be called on any thread. Longer preparations run in the
  /// background. Then the store looks once for earlier commits. If it may have missed some, it
  /// posts that everything may have changed. If the preparations or this look fail, the next
  /// ``lookForOthers()`` throws the error.
  ///
  /// The function has no default. A store that forgot it would compile, but its lists would never
  /// show the commits of other processes.
  func tellOfOthers() -> AnyObject?
}

extension ObjectStore {
  /// Writes all rows, or throws and writes none.
  package func commit(_ writes: [Write], from inbox: Inbox?) throws {
    try commit(writes, from: inbox, settling: nil)
  }
}

/// A reader of rows. All its reads in one moment, which is one read transaction, see the same rows.
///
/// The first read begins the moment, which lasts until `end`. If no cursor is open, the store may
/// end it earlier, because others need a resource that it holds: a connection for another reader,
/// or the log that a writer wants to cut. The next read then begins another moment with another
/// number. While the terms keep the moment, only `end` ends it. A cursor that is open at `end`
/// continues with the rows of its moment. A store whose moments cost nothing, such as one in
/// memory, never ends one by itself.
///
/// A reader is confined to its context. A query throws `cancelled` if its task is cancelled while
/// it runs, or if it is part of background work that is cancelled.
package protocol StoreReader: AnyObject {
  /// Returns a cursor over the rows of a query.
  func cursor(_ query: Query) throws -> any RowCursor
  /// Loads the columns of one row, in the layout's order. Returns false if the row does not exist.
  /// The cells are valid until the next call of the reader.
  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool
  /// Announces that the context will read these rows of an entity, one by one and in the same
  /// moment.
  ///
  /// A store on a network reads them all in one round trip and keeps them until the moment ends.
  /// The context reads most of them afterwards, and may also read others. A call has at least two
  /// and at most 500 ids, each once. If reading the rows in advance fails, the later read of a row
  /// throws the error.
  ///
  /// The default does nothing, because a file and memory read best one by one. Without this
  /// function, a store makes more round trips, but returns the right rows.
  func expect(_ ids: [Int64], of entity: Int)
  /// Returns a figure over the rows of a query. If there are no rows, a count is zero, and any
  /// other figure is null.
  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue
  /// The number of the current moment (read transaction); zero if there is none.
  var moment: Int { get }
  /// Begins a moment, a read transaction.
  func begin() throws
  /// Ends the moment. The next read begins another moment.
  func end()
  /// Makes later reads follow the given terms. Before the first call, the terms are `ReadTerms()`.
  ///
  /// The function has no default. If a reader ignored the terms, a cancelled task could interrupt a
  /// save, and a moment could end in the middle of reads that belong together.
  func follow(_ terms: ReadTerms)
}

extension StoreReader {
  /// Does nothing, because reading a row by its id costs no round trip.
  package func expect(_: [Int64], of _: Int) {}
}

/// A cursor over the rows of a query. Several cursors of a reader may be open at the same time.
package protocol RowCursor: AnyObject {
  /// Advances to the next row and returns its id; nil at the end. At the end, the resources of the
  /// cursor are released.
  func next() throws -> Int64?
  /// Loads the columns of the current row, in the layout's order. The cells are valid until
  /// `next()` is called again.
  func load(into cells: CellRow)
  /// Closes the cursor early and releases its resources.
  func close()
}
