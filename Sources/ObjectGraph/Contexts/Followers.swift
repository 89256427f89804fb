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
  /// Records that an object of the entity was changed, inserted or deleted, in the follower's context
  /// or a context above.
  func markChanged(_ key: Int64, of entity: Int)
  /// Records that others' commits have changed, inserted or deleted rows of the entity in the store.
  func markChanged(_ keys: [Int64], of entity: Int)
  /// Records that any object may have changed.
  func markAllChanged()
  /// Applies the recorded changes. The context calls this function at the end of the operation.
  func operationDidEnd()
}

/// The state that a root context shares with all contexts below it.
final class ContextFamily {
  /// The rows that others have committed and that the family has not merged yet.
  var unmerged: Unmerged
  /// The rows of commits whose outcome is unknown, with the lowest context that the commit was to
  /// save. A row is removed when a merge or save reads it.
  var unknown: [RowKey: WeakContext] = [:]
  /// The child contexts of the edits whose closures are running, by the numbers of the edits.
  var openEdits: [Int64: ObjectContext] = [:]
  /// The save of several contexts that is under way; nil at other times.
  var chainSave: ChainSave?
  /// Whether a delete rule has ever set a reference to nil in one of the contexts.
  var hasEmptied = false
  /// The contexts that have followers.
  private var followed: [WeakContext] = []
  /// The number of unsaved objects that lookups of to-many properties have examined. Tests check
  /// it.
  var examined = 0
  private var depth = 0
  /// The followers whose `operationDidEnd()` will be called when the current or next operation
  /// ends.
  ///
  /// They are not retained. If a read discovers a change outside of any operation, the followers
  /// wait until the next operation ends. Until then, their owners may release them.
  private var waiting: [WeakFollower] = []
  /// The size of ``waiting`` at which released followers are removed from it.
  private var waitingLimit = 16

  struct WeakContext {
    weak var context: ObjectContext?
  }

  private struct WeakFollower {
    weak var follower: (any ContextFollower)?
  }

  /// The tables of a context without objects. All contexts begin with this list, so a new context
  /// needs no memory for a list of its own.
  let noTables: [AnyTable?]
  /// The lists of a context without unsaved objects, one for each entity. All contexts begin with
  /// these lists, too.
  let noObjects: [[GraphObject]]

  init(entityCount: Int) {
    unmerged = Unmerged(entityCount: entityCount)
    noTables = Array(repeating: nil, count: entityCount)
    noObjects = Array(repeating: [], count: entityCount)
  }

  /// Runs a closure as one operation. The notified followers apply all changes of the closure when
  /// the outermost operation ends.
  func operate<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { tellOfEnd() }
    }
    return try body()
  }

  /// Adds a context that has followers. The family does not retain the context.
  func addFollowed(_ context: ObjectContext) {
    followed.removeAll { $0.context == nil }
    if !followed.contains(where: { $0.context === context }) {
      followed.append(WeakContext(context: context))
    }
  }

  /// Notifies followers in all contexts that rows were changed. A follower is not notified of a row
  /// that has an object in the follower's context or a context above. `audience` limits the call to
  /// one kind of follower.
  func tellOfUnheld(_ rows: some Collection<RowKey>, _ audience: UnheldAudience) {
    guard !rows.isEmpty else { return }
    for case let context? in followed.map(\.context) {
      context.tellOfUnheld(rows, audience)
    }
  }

  /// Notifies all followers that any object may have changed.
  func tellEverything() {
    for case let context? in followed.map(\.context) { context.tellEverything() }
  }

  /// Registers a follower for a call of `operationDidEnd()` at the end of the operation.
  func queueEnd(for follower: any ContextFollower) {
    guard !follower.isWaiting else { return }
    follower.isWaiting = true
    if waiting.count >= waitingLimit {
      waiting.removeAll { $0.follower == nil }
      waitingLimit = 2 * waiting.count + 16
    }
    waiting.append(WeakFollower(follower: follower))
  }

  /// Calls `operationDidEnd()` of the waiting followers, unless an operation is still under way.
  ///
  /// The list of waiting followers is emptied first. The calls may change objects, and such a
  /// change can make a follower wait again.
  func tellOfEnd() {
    guard depth == 0, !waiting.isEmpty else { return }
    let told = waiting
    waiting = []
    for waiter in told { waiter.follower?.isWaiting = false }
    for waiter in told { waiter.follower?.operationDidEnd() }
  }
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

extension ObjectContext {
  /// Registers a follower, which the context notifies of each change. The context does not retain
  /// the follower. The registration ends when the follower is released.
  package func addFollower(_ follower: any ContextFollower) {
    followers.removeAll { $0.follower == nil }
    followers.append(WeakFollower(follower: follower))
    activate()
    family.addFollowed(self)
    updateWatchedTables()
  }

  struct WeakFollower {
    weak var follower: (any ContextFollower)?
  }

  /// Notifies the followers of this context that an object changed.
  func notifyFollowers(_ key: Int64, _ entity: Int) {
    for case let follower? in followers.map(\.follower) {
      follower.markChanged(key, of: entity)
      family.queueEnd(for: follower)
    }
  }

  fileprivate func tellOfUnheld(
    _ rows: some Collection<RowKey>, _ audience: UnheldAudience
  ) {
    let told = followers.compactMap(\.follower).filter(audience.contains)
    guard !told.isEmpty else { return }
    var keys: [Int: [Int64]] = [:]
    for row in rows where nearest(row.key, row.entity) == nil {
      keys[row.entity, default: []].append(row.key)
    }
    for (entity, keys) in keys {
      for follower in told {
        follower.markChanged(keys, of: entity)
        family.queueEnd(for: follower)
      }
    }
  }

  fileprivate func tellEverything() {
    for case let follower? in followers.map(\.follower) {
      follower.markAllChanged()
      family.queueEnd(for: follower)
    }
  }
}
