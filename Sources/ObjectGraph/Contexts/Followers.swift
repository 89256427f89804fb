/// Somebody who shows what is in a context: a live list.
///
/// It is told which objects changed, one by one, and once to settle when the operation that changed
/// them is over: an edit, or a whole save, merge, discard, undo or group.
package protocol ContextFollower: AnyObject {
  /// Whether it was told and has not settled; the family sets it.
  var isWaiting: Bool { get set }
  /// Whether the follower takes in what others committed slice by slice, as merges do.
  ///
  /// True if it reads nothing but its own objects and those that it is told of. Otherwise it is told
  /// of all rows that its context does not hold as soon as the family hears of them, because it may
  /// read each of them as it is by then.
  var followsInSlices: Bool { get }
  /// An object of the entity was changed, inserted or deleted, here or above.
  func note(_ key: Int64, of entity: Int)
  /// Objects of the entity were changed, inserted or deleted above.
  func note(_ keys: [Int64], of entity: Int)
  /// Anything may have changed.
  func noteEverything()
  /// Takes in what it was told, because the operation is over.
  func operationDidEnd()
}

/// What a root context and those below it share.
final class ContextFamily {
  /// Reads the store; made at the first read.
  var reader: (any StoreReader)?
  /// What the reader is told of the contexts' reads.
  var terms = ReadTerms() { didSet { reader?.follow(terms) } }
  /// The rows that others have committed and no context has taken in yet.
  var unmerged: Unmerged
  /// The rows of commits whose outcome is unknown, until they are read.
  var unknown: Set<UnmergedRow> = []
  /// Whether a delete rule has ever emptied a reference in one of the contexts.
  var hasEmptied = false
  /// The contexts that have followers.
  private var followed: [WeakContext] = []
  /// The number of unsaved objects looked at for to-many properties so far, for tests.
  var examined = 0
  private var depth = 0
  /// The followers that were told and have not settled.
  ///
  /// They are not kept: what is heard of in a read settles after the next operation, and a list that
  /// nobody has any more must not wait for that.
  private var waiting: [WeakFollower] = []
  /// How many may wait before those that are gone are looked for.
  private var waitingLimit = 16

  private struct WeakContext {
    weak var context: ObjectContext?
  }

  private struct WeakFollower {
    weak var follower: (any ContextFollower)?
  }

  init(entityCount: Int) { unmerged = Unmerged(entityCount: entityCount) }

  /// Runs an operation of several changes; those who were told settle after the outermost.
  func operate<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { tellOfEnd() }
    }
    return try body()
  }

  func addFollowed(_ context: ObjectContext) {
    followed.removeAll { $0.context == nil }
    if !followed.contains(where: { $0.context === context }) {
      followed.append(WeakContext(context: context))
    }
  }

  /// Tells followers of the rows that neither their context nor one above it has an object of.
  func tellOfUnheld(_ rows: some Collection<UnmergedRow>, _ audience: UnheldAudience) {
    guard !rows.isEmpty else { return }
    for case let context? in followed.map(\.context) {
      context.tellOfUnheld(rows, audience)
    }
  }

  /// Tells all followers that anything may have changed.
  func tellEverything() {
    for case let context? in followed.map(\.context) { context.tellEverything() }
  }

  func wait(_ follower: any ContextFollower) {
    guard !follower.isWaiting else { return }
    follower.isWaiting = true
    if waiting.count >= waitingLimit {
      waiting.removeAll { $0.follower == nil }
      waitingLimit = 2 * waiting.count + 16
    }
    waiting.append(WeakFollower(follower: follower))
  }

  /// Tells the waiting followers that the operation is over, unless one is still going on.
  ///
  /// What they do then may make others wait.
  func tellOfEnd() {
    guard depth == 0, !waiting.isEmpty else { return }
    let told = waiting
    waiting = []
    for waiter in told { waiter.follower?.isWaiting = false }
    for waiter in told { waiter.follower?.operationDidEnd() }
  }
}

/// The followers that are told of rows which their contexts do not hold.
enum UnheldAudience {
  case all
  /// See ``ContextFollower/followsInSlices``.
  case followingInSlices
  /// The others.
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
  /// Tells a follower of each change from now on, for as long as it lives.
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

  /// Tells those who follow that an object changed.
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
