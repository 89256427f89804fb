/// Somebody who shows what is in a context: a live list.
///
/// It is told which objects changed, one by one, and once to settle when the operation that changed
/// them is over: an edit, or a whole save, merge, discard, undo or group.
package protocol ContextFollower: AnyObject {
  /// An object of the entity was changed, inserted or deleted, here or above.
  func note(_ key: Int64, of entity: Int)
  /// Anything may have changed.
  func noteEverything()
  /// The operation is over.
  func settle()
}

/// What a root context and those below it share.
final class Family {
  private var depth = 0
  private var waiting: [any ContextFollower] = []

  /// Runs an operation of several changes; those who were told settle after the outermost.
  func operate<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { settle() }
    }
    return try body()
  }

  func wait(_ follower: any ContextFollower) {
    if !waiting.contains(where: { $0 === follower }) { waiting.append(follower) }
  }

  /// Lets those settle who were told, unless an operation is going on; what they do in turn may
  /// tell others.
  func settle() {
    guard depth == 0, !waiting.isEmpty else { return }
    let settling = waiting
    waiting = []
    for follower in settling { follower.settle() }
  }
}

extension ObjectContext {
  /// Tells a follower of each change from now on, for as long as it lives.
  package func addFollower(_ follower: any ContextFollower) {
    followers.removeAll { $0.follower == nil }
    followers.append(WeakFollower(follower: follower))
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

  func tellEverything() {
    for case let follower? in followers.map(\.follower) {
      follower.noteEverything()
      family.wait(follower)
    }
    for child in liveChildren { child.tellEverything() }
  }
}
