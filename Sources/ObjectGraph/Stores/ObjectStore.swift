/// The store of a root context. It returns rows, takes writes, and posts news of others' commits.
///
/// It knows neither contexts nor the generic types of entities, so that each store is independent
/// of them.
package protocol ObjectStore: AnyObject, Sendable {
  /// The id of the store, which is drawn at random when it is created. It is part of each URI.
  var id: String { get }
  var model: Model { get }

  /// Returns a reader for one context.
  func makeReader() throws -> any StoreReader

  /// Writes all rows, or throws and writes none.
  ///
  /// Deletes come first, then updates, then inserts. The commit fails with `CommitConflict` if a
  /// checked column of an update no longer holds the base's value, or if its row is gone. It also
  /// fails if a row to delete was changed or is missing.
  ///
  /// If there is a conflict and `settling` is given, the store calls it while no other commit can
  /// write, and commits the writes that it returns instead. The closure may use the store only for
  /// reading.
  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws

  /// Registers an inbox, to which commits of others are posted from now on. The store does not
  /// retain it.
  func subscribe(_ inbox: Inbox)

  /// Looks for commits of other processes and posts them to the inboxes. It may be called on any
  /// thread.
  ///
  /// When it returns, the inboxes have at least the commits that are visible in any moment that
  /// began before the call. This includes commits of this process.
  func lookForOthers() throws

  /// Returns a token. As long as it is retained, the store posts the commits of other processes to
  /// the inboxes without being asked. The result is nil if no other process commits to the store.
  ///
  /// The function returns at once and may be called on any thread. Preparations that take longer
  /// run in the background. When they are done, the store looks once for earlier commits. If it may
  /// have missed some, it posts that everything may have changed. If the preparations or the look
  /// fail, the next ``lookForOthers()`` throws the error.
  ///
  /// There is no default. If a store did not implement the function, its lists would never show the
  /// commits of other processes, and no error would say why.
  func tellOfOthers() -> AnyObject?
}

extension ObjectStore {
  /// Writes all rows, or throws and writes none.
  package func commit(_ writes: [Write], from inbox: Inbox?) throws {
    try commit(writes, from: inbox, settling: nil)
  }
}

/// A reader of rows as of one moment, which is what one read transaction sees.
///
/// The first read begins the moment, which lasts until `end`. If no cursor is open, the store may
/// end it earlier, because it holds a resource that others need: a connection for another reader,
/// or the log that a writer wants to cut. The next read then begins another moment with another
/// number. While the terms keep the moment, only `end` ends it. A cursor that is open at `end`
/// continues with the rows of its moment, and a store may end that moment only afterwards. A store
/// whose moments cost nothing, such as one in memory, never ends one by itself.
///
/// A reader is confined to its context. A query throws `cancelled` if its task, or the background
/// work that it is part of, is cancelled while it runs.
package protocol StoreReader: AnyObject {
  /// Returns a cursor over the rows of a query.
  func cursor(_ query: Query) throws -> any RowCursor
  /// Loads the columns of one row, in the layout's order. Returns false if there is no such row.
  /// The cells are valid until the next call of the reader.
  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool
  /// Tells that the context reads these rows of an entity next, one by one and in the same moment.
  ///
  /// A store behind a network reads them all in one round trip and keeps them until the moment
  /// ends. The context reads most of them afterwards, and may read others. It names at most 500
  /// rows in one call, no row twice in a call, and does not call this for a single row. If reading
  /// them fails, the later read of a row throws the error.
  ///
  /// The default does nothing, because a file and memory read best one by one. A store that forgot
  /// the function pays more round trips, but returns the right rows.
  func expect(_ ids: [Int64], of entity: Int)
  /// Returns a figure over the rows of a query; null if there are no rows, except for the count.
  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue
  /// The number of the current moment; zero if there is none.
  var moment: Int { get }
  /// Begins a moment.
  func begin() throws
  /// Ends the moment. The next read begins another.
  func end()
  /// Makes later reads follow the given terms. Until the first call, these are `ReadTerms()`.
  ///
  /// There is no default. A reader that forgot the terms would let a cancelled task break off a
  /// save, and could end a moment in the middle of reads that belong together.
  func follow(_ terms: ReadTerms)
}

extension StoreReader {
  /// Does nothing, because a row read by its id costs no round trip.
  package func expect(_: [Int64], of _: Int) {}
}

/// A cursor over the rows of a query. Several cursors may be open, as for a fetch inside a fetch.
package protocol RowCursor: AnyObject {
  /// Advances to the next row and returns its id; nil at the end. The end also releases the
  /// resources of the cursor.
  func next() throws -> Int64?
  /// Loads the columns of the current row, in the layout's order. They are valid until `next`.
  func load(into cells: CellRow)
  /// Releases the resources of the cursor before its end.
  func close()
}
