/// The store of a root context: rows out, plain writes in, and news of others' commits.
///
/// It knows neither contexts nor the entities' generic types, so that each store is one flat piece.
package protocol ObjectStore: AnyObject, Sendable {
  /// Drawn when the store was created; part of each URI.
  var id: String { get }
  var model: Model { get }

  /// A reader for one context.
  func makeReader() throws -> any StoreReader

  /// All writes, or none and an error.
  ///
  /// Deletes come first, then updates, then inserts. An update whose checked columns no longer hold
  /// the base's values, or whose row is gone, and a delete of a changed or missing row make the
  /// whole commit fail with `CommitConflict`, nothing written.
  ///
  /// With `settling`, the store calls it with the conflict while nobody else can write, and commits
  /// what it returns instead. The closure must not use the store for anything but reading.
  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws

  /// From now on, commits of others are posted to the inbox. The store does not keep it alive.
  func subscribe(_ inbox: Inbox)

  /// Looks for commits of other processes and posts them to the inboxes; works from any thread.
  ///
  /// When it returns, all commits that a moment shows which began before the call are posted, those
  /// of this process, too.
  func lookForOthers() throws

  /// Returns a token while which the store posts the commits of other processes to the inboxes by
  /// itself; nil if nobody else commits to it.
  ///
  /// It returns at once and works from any thread: whatever the store has to do first, it does behind
  /// the token. Then it looks once for what was committed before, and posts that everything may have
  /// changed if it may have missed something. An error meanwhile is told by the next look.
  func tellOfOthers() -> AnyObject?
}

extension ObjectStore {
  /// Returns nil, because nobody else has the store.
  package func tellOfOthers() -> AnyObject? { nil }

  /// All writes, or none and an error.
  package func commit(_ writes: [Write], from inbox: Inbox?) throws {
    try commit(writes, from: inbox, settling: nil)
  }
}

/// Reads rows as of one moment: what one read transaction sees.
///
/// The first read begins the moment. It lasts until `end`, or until the store ends it because no cursor
/// is open and others need what it holds: another reader its connection, a writer the log that it keeps
/// from being cut. The next read then begins another moment, with another number. Where the terms keep
/// the moment, only `end` does. A cursor that is open at `end` goes on with the rows of its moment, which
/// a store may end only after that. A store to which a moment costs nothing, such as one in memory,
/// never ends one by itself.
///
/// A reader is confined to its context. A query that is under way when its task, or the background work
/// it is part of, is cancelled throws `cancelled`.
package protocol StoreReader: AnyObject {
  /// The rows of a query.
  func cursor(_ query: Query) throws -> any RowCursor
  /// Loads one row's columns, in the layout's order; false if there is none. The cells stay valid
  /// until the reader's next call.
  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool
  /// Says that the context asks for these rows of an entity next, one by one, in the same moment.
  ///
  /// A store far away reads them all in one round trip, and keeps them until the moment ends. The
  /// context asks for most of them, also for some that it has not named; it names at most 500 at a
  /// time, no row twice at a time, and none if it is only one. An error meanwhile is thrown by the
  /// reading of the rows.
  func expect(_ ids: [Int64], of entity: Int)
  /// One figure of the rows of a query; null if there are none, but for a count.
  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue
  /// The number of the moment under way; zero if none is, because it ended or because the store has
  /// ended it.
  var moment: Int { get }
  /// Begins a moment.
  func begin() throws
  /// Ends the moment; the next read begins another.
  func end()
  /// Reads by these terms from now on.
  func follow(_ terms: ReadTerms)
}

extension StoreReader {
  /// Does nothing, because a row read by its id costs no round trip.
  package func expect(_: [Int64], of _: Int) {}

  /// Where nothing ends a moment or a read but the context.
  package func follow(_: ReadTerms) {}
}

/// A position in the rows of a query. Cursors may be nested: a fetch inside a fetch has its own.
package protocol RowCursor: AnyObject {
  /// The next row's id; nil at the end, which also gives back what the cursor held.
  func next() throws -> Int64?
  /// The current row's columns, in the layout's order, valid until `next`.
  func load(into cells: CellRow)
  /// Gives back what the cursor held, before the end.
  func close()
}
