/// An object that shows the content of a context, such as a live list.
///
/// An operation is one edit, or a whole save, merge, discard, undo or group. During an operation,
/// the context notifies the follower of each changed object. At the end of the operation, the
/// context calls `operationDidEnd()` once.
package protocol ContextFollower: AnyObject {
  /// Whether the follower was notified of a change and `operationDidEnd()` is still to be called.
  /// Only the context's family sets this property.
  var isWaiting: Bool { get set }
  /// Whether a merge notifies the follower of others' commits in slices of at most 500 rows. A
  /// large import then does not block the tree for its whole length.
  ///
  /// It is true for a follower that reads only its own objects and the objects of which it is
  /// notified. Any other follower may read any row. If the context has no object of a row, such a
  /// follower reads the newest state of the row. So it is notified of rows without objects at once,
  /// when the family learns of them.
  var followsInSlices: Bool { get }
  /// When the follower's turn comes at the end of an operation.
  var stage: FollowerStage { get }
  /// Records that an object of the entity was changed, inserted or deleted, in the follower's context
  /// or a context above. `columns` contains the columns that were changed; nil if the object was
  /// inserted or deleted, or if the columns are unknown.
  func markChanged(_ key: Int64, of entity: Int, in columns: ColumnMask?)
  /// Records that others' commits have changed, inserted or deleted rows of the entity in the store.
  func markChanged(_ keys: [Int64], of entity: Int)
  /// Records that any object may have changed.
  func markAllChanged()
  /// Applies the recorded changes. The context calls this function at the end of the operation.
  func operationDidEnd()
}

/// The stages in which the followers of a family apply an operation's changes and call their
/// observers. So observers of an object find all lists up to date, and so on.
package enum FollowerStage: CaseIterable {
  /// Notes of what is archived, so that an observer may save the state.
  case notes
  case lists
  case objects
  case values
}

/// The kind of followers to notify of rows that have no object in the followers' contexts.
enum UnheldAudience {
  case all
  /// The followers whose ``ContextFollower/followsInSlices`` is true.
  case followingInSlices
  /// The followers whose ``ContextFollower/followsInSlices`` is false.
  case followingAtOnce

  func contains(_ follower: any ContextFollower) -> Bool {
    switch self {
    case .all: true
    case .followingInSlices: follower.followsInSlices
    case .followingAtOnce: !follower.followsInSlices
    }
  }
}

/// The followers of one context, which the list does not retain.
struct FollowerList {
  private var entries: [WeakFollower] = []
  /// Ends the loops over the context's objects when the context ends; nil without such loops.
  private var ending: EndingLoops?

  struct WeakFollower {
    weak var follower: (any ContextFollower)?
  }

  var isEmpty: Bool { !entries.contains { $0.follower != nil } }

  var living: [any ContextFollower] { entries.compactMap(\.follower) }

  /// The first follower. If objects are observed, it is the follower of these objects.
  var first: (any ContextFollower)? { entries.first?.follower }

  /// Adds a follower. One of objects comes first.
  mutating func add(_ follower: any ContextFollower, isOfObjects: Bool) {
    entries.removeAll { $0.follower == nil }
    entries.insert(WeakFollower(follower: follower), at: isOfObjects ? 0 : entries.count)
  }

  /// Returns the object that ends loops when the list is deallocated with its context.
  mutating func endingLoops() -> EndingLoops {
    if let ending { return ending }
    let loops = EndingLoops()
    ending = loops
    return loops
  }

  var count: Int { entries.count }

  /// Returns the follower at a place; nil if it was released.
  @inline(__always)
  func follower(at place: Int) -> (any ContextFollower)? { entries[place].follower }
}
