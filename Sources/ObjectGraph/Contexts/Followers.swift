/// An object that shows the content of a context, such as a live list.
///
/// The context notifies the follower of each changed object, and calls `operationDidEnd()` once
/// when the operation is over. An operation is an edit, or a whole save, merge, discard, undo or
/// group.
package protocol ContextFollower: AnyObject {
  /// Whether the follower was notified and waits for the end of the operation. The context's family
  /// sets it.
  var isWaiting: Bool { get set }
  /// Whether the follower takes in the commits of others in slices of at most 200 rows, as merges
  /// do. A large import then does not block the tree for its whole length.
  ///
  /// It is true if the follower reads only its own objects and those of which it is notified. Any
  /// other follower may read each row in its newest state. Such a follower is therefore notified of
  /// rows without an object in its context as soon as the family learns of them.
  var followsInSlices: Bool { get }
  /// Notes that an object of the entity was changed, inserted or deleted, in this context or one
  /// above.
  func note(_ key: Int64, of entity: Int)
  /// Notes that objects of the entity were changed, inserted or deleted in a context above or the
  /// store.
  func note(_ keys: [Int64], of entity: Int)
  /// Notes that any object may have changed.
  func noteEverything()
  /// Applies the noted changes, because the operation is over.
  func operationDidEnd()
}

/// The state that a root context shares with all contexts below it.
final class ContextFamily {
  /// The reader of the store, which is made at the first read.
  var reader: (any StoreReader)?
  /// The conditions under which the contexts read the store. Each change is passed to the reader.
  var terms = ReadTerms() { didSet { reader?.follow(terms) } }
  /// The rows that others have committed and no context has merged yet.
  var unmerged: Unmerged
  /// The rows of commits with an unknown outcome, which stay here until they are read.
  var unknown: Set<UnmergedRow> = []
  /// Whether a delete rule has ever set a reference to nil in one of the contexts.
  var hasEmptied = false
  /// The contexts that have followers.
  private var followed: [WeakContext] = []
  /// The number of unsaved objects that lookups of to-many properties have examined. Tests check
  /// it.
  var examined = 0
  private var depth = 0
  /// The followers that were notified and wait for the end of the operation.
  ///
  /// They are not retained. A change that a read discovers waits until the next operation ends, and
  /// a list without an owner must not live until then.
  private var waiting: [WeakFollower] = []
  /// The number of elements at which released followers are removed from ``waiting``.
  private var waitingLimit = 16

  private struct WeakContext {
    weak var context: ObjectContext?
  }

  private struct WeakFollower {
    weak var follower: (any ContextFollower)?
  }

  /// The tables of a context without objects. All contexts begin with the same list, so a new one
  /// needs no memory for it.
  let noTables: [AnyTable?]
  /// The lists of a context without unsaved objects, one for each entity, which are shared as well.
  let noObjects: [[GraphObject]]

  init(entityCount: Int) {
    unmerged = Unmerged(entityCount: entityCount)
    noTables = Array(repeating: nil, count: entityCount)
    noObjects = Array(repeating: [], count: entityCount)
  }

  /// Runs an operation of several changes. The notified followers apply the changes when the
  /// outermost operation ends.
  func operate<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { tellOfEnd() }
    }
    return try body()
  }

  /// Adds a context that has followers. The family does not retain it.
  func addFollowed(_ context: ObjectContext) {
    followed.removeAll { $0.context == nil }
    if !followed.contains(where: { $0.context === context }) {
      followed.append(WeakContext(context: context))
    }
  }

  /// Notifies the followers of each context about changed rows. Rows that have an object in the
  /// follower's context or one above it are left out.
  func tellOfUnheld(_ rows: some Collection<UnmergedRow>, _ audience: UnheldAudience) {
    guard !rows.isEmpty else { return }
    for case let context? in followed.map(\.context) {
      context.tellOfUnheld(rows, audience)
    }
  }

  /// Notifies all followers that any object may have changed.
  func tellEverything() {
    for case let context? in followed.map(\.context) { context.tellEverything() }
  }

  /// Adds a follower to those that wait for the end of the operation.
  func wait(_ follower: any ContextFollower) {
    guard !follower.isWaiting else { return }
    follower.isWaiting = true
    if waiting.count >= waitingLimit {
      waiting.removeAll { $0.follower == nil }
      waitingLimit = 2 * waiting.count + 16
    }
    waiting.append(WeakFollower(follower: follower))
  }

  /// Calls `operationDidEnd()` of the waiting followers, if no operation is still under way.
  ///
  /// The called followers may change objects, so that other followers wait.
  func tellOfEnd() {
    guard depth == 0, !waiting.isEmpty else { return }
    let told = waiting
    waiting = []
    for waiter in told { waiter.follower?.isWaiting = false }
    for waiter in told { waiter.follower?.operationDidEnd() }
  }
}

/// The followers that are notified of rows without an object in their context.
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
  /// Registers a follower, which is notified of each change until it is released. The context does
  /// not retain it.
  package func addFollower(_ follower: any ContextFollower) {
    followers.removeAll { $0.follower == nil }
    followers.append(WeakFollower(follower: follower))
    activate()
    family.addFollowed(self)
    watch()
  }

  struct WeakFollower {
    weak var follower: (any ContextFollower)?
  }

  /// Notifies the followers that an object changed.
  func tell(_ key: Int64, _ entity: Int) {
    for case let follower? in followers.map(\.follower) {
      follower.note(key, of: entity)
      family.wait(follower)
    }
  }

  fileprivate func tellOfUnheld(
    _ rows: some Collection<UnmergedRow>, _ audience: UnheldAudience
  ) {
    let told = followers.compactMap(\.follower).filter(audience.contains)
    guard !told.isEmpty else { return }
    var keys: [Int: [Int64]] = [:]
    for row in rows where nearest(row.key, row.entity) == nil {
      keys[row.entity, default: []].append(row.key)
    }
    for (entity, keys) in keys {
      for follower in told {
        follower.note(keys, of: entity)
        family.wait(follower)
      }
    }
  }

  fileprivate func tellEverything() {
    for case let follower? in followers.map(\.follower) {
      follower.noteEverything()
      family.wait(follower)
    }
  }
}
