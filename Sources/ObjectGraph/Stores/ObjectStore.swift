/// What a root context needs of a store: rows out, plain writes in, and news of others' commits.
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

/// Reads rows as of one moment, which begins with the first read and lasts until `end`.
///
/// Confined to its context. The store may end the moment of an idle reader, which then begins another
/// with its next read; but not while a cursor is open, nor where the terms keep it. A query that is under
/// way when its task, or the background work it is part of, is cancelled throws `cancelled`.
package protocol StoreReader: AnyObject {
  /// The rows of a query.
  func cursor(_ query: Query) throws -> any RowCursor
  /// Loads one row's columns, in the layout's order; false if there is none. The cells stay valid
  /// until the reader's next call.
  func row(_ id: Int64, of entity: Int, into cells: UnsafeMutablePointer<Cell>) throws -> Bool
  /// One figure of the rows of a query; null if there are none, but for a count.
  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> Stored
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
  /// Where nothing ends a moment or a read but the context.
  package func follow(_: ReadTerms) {}
}

/// A position in the rows of a query. Cursors may be nested: a fetch inside a fetch has its own.
package protocol RowCursor: AnyObject {
  /// The next row's id; nil at the end, which also gives back what the cursor held.
  func next() throws -> Int64?
  /// The current row's columns, in the layout's order, valid until `next`.
  func load(into cells: UnsafeMutablePointer<Cell>)
  /// Gives back what the cursor held, before the end.
  func close()
}

/// One row to write.
package struct Write {
  package enum Kind {
    case insert
    /// Writes the columns of the mask. Unless unchecked, each of them must still hold the base's
    /// value.
    case update(ColumnMask)
    /// Unless unchecked, all columns must still hold the base's values.
    case delete
  }

  package let entity: Int
  package let id: Int64
  package let kind: Kind
  package let isChecked: Bool
  /// The object with the values (and the base's values, when updated or deleted).
  package let source: any WriteSource
  /// Where the object lies, for those who ask for its memory ahead.
  package let place: ObjectIdentifier

  package init(entity: Int, id: Int64, kind: Kind, isChecked: Bool, source: any WriteSource) {
    self.entity = entity
    self.id = id
    self.kind = kind
    self.isChecked = isChecked
    self.source = source
    place = ObjectIdentifier(source)
  }
}

/// Lends the memory of a value, and of its base if it has one, for as long as a closure runs.
///
/// Not generic, because it is called through a table of methods, where a generic method is never
/// specialised.
package protocol WriteSource: AnyObject {
  func lend(
    _ body: (_ value: UnsafeMutableRawPointer, _ base: UnsafeMutableRawPointer?) throws -> Void
  ) rethrows
}

extension WriteSource {
  /// The closure's result of the value.
  @inline(__always)
  package func withValue<Result>(_ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
    try borrowing { value, _ in try body(UnsafeRawPointer(value)) }
  }

  /// The closure's result of the base; what was not changed is its own base.
  @inline(__always)
  package func withBase<Result>(_ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
    try borrowing { value, base in try body(UnsafeRawPointer(base ?? value)) }
  }

  @inline(__always)
  func borrowing<Result>(
    _ body: (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) throws -> Result
  ) rethrows -> Result {
    var result: Result?
    try lend { value, base in result = try body(value, base) }
    guard let result else { preconditionFailure("lend calls its closure once") }
    return result
  }
}

/// A set of columns, without references, so that a write is copied for nothing.
package struct ColumnMask: Hashable, Sendable {
  /// The columns an entity can have.
  static let limit = 128

  private var low: UInt64 = 0
  private var high: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { low == 0 && high == 0 }

  package mutating func insert(_ column: Int) {
    if column < 64 { low |= 1 << UInt64(column) } else { high |= 1 << UInt64(column - 64) }
  }

  package mutating func formUnion(_ other: ColumnMask) {
    low |= other.low
    high |= other.high
  }

  package func union(_ other: ColumnMask) -> ColumnMask {
    var mask = self
    mask.formUnion(other)
    return mask
  }

  package func intersection(_ other: ColumnMask) -> ColumnMask {
    var mask = self
    mask.low &= other.low
    mask.high &= other.high
    return mask
  }

  package func subtracting(_ other: ColumnMask) -> ColumnMask {
    var mask = self
    mask.low &= ~other.low
    mask.high &= ~other.high
    return mask
  }

  package func contains(_ column: Int) -> Bool {
    column < 64
      ? low & (1 << UInt64(column)) != 0 : high & (1 << UInt64(column - 64)) != 0
  }
}

/// The rows for which a commit was refused, all of them.
package struct CommitConflict: Error {
  package struct Row {
    package let entity: Int
    package let id: Int64
    /// What the row holds now; nil if it is gone.
    package let theirs: [Stored]?

    package init(entity: Int, id: Int64, theirs: [Stored]?) {
      self.entity = entity
      self.id = id
      self.theirs = theirs
    }
  }
  package let rows: [Row]

  package init(rows: [Row]) { self.rows = rows }
}
