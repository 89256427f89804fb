/// The contexts below a context that it notifies of changes, without retaining them.
struct ChildList {
  private var entries: [Child] = []
  /// The size of the list at which released contexts are removed from it.
  private var limit = 8

  private struct Child {
    weak var context: ObjectContext?
    /// The identity of the context. Comparing identities does not load the weak reference.
    let identity: ObjectIdentifier
  }

  var count: Int { entries.count }

  var isEmpty: Bool { !entries.contains { $0.context != nil } }

  var living: [ObjectContext] { entries.compactMap(\.context) }

  mutating func add(_ context: ObjectContext) {
    if entries.count >= limit { sweep() }
    entries.append(Child(context: context, identity: ObjectIdentifier(context)))
  }

  /// Removes released contexts from the list, so that a change does not visit them.
  mutating func sweep() {
    entries.removeAll { $0.context == nil }
    limit = max(8, entries.count * 2)
  }

  /// Returns the context at a place; nil if it was released or has the given identity.
  @inline(__always)
  func context(at place: Int, except identity: ObjectIdentifier?) -> ObjectContext? {
    entries[place].identity == identity ? nil : entries[place].context
  }
}

extension ObjectContext {
  /// Calls a closure with each child, except the given context.
  ///
  /// The function loops by index, because an iterator would copy weak references. The list may
  /// change during the loop, because a value that is released may run any code in its deinit.
  func forEachChild(except source: ObjectContext? = nil, _ body: (ObjectContext) -> Void) {
    let known = source.map { ObjectIdentifier($0) }
    var place = 0
    while place < children.count {
      if let child = children.context(at: place, except: known) { body(child) }
      place += 1
    }
  }
}

extension ObjectContext {
  /// Calls a closure with each follower.
  ///
  /// The function loops by index, because an iterator would copy weak references (benchmark
  /// `observe`).
  private func forEachFollower(_ body: (any ContextFollower) -> Void) {
    var place = 0
    while place < followers.count {
      if let follower = followers.follower(at: place) { body(follower) }
      place += 1
    }
  }

  /// Notifies the followers of this context that an object changed.
  func notifyFollowers(_ key: Int64, _ entity: Int, _ columns: ColumnMask?) {
    forEachFollower { follower in
      follower.markChanged(key, of: entity, in: columns)
      family.operation.queueEnd(for: follower)
    }
  }

  /// Notifies one kind of the followers of this context that rows were changed, except of rows that
  /// have an object here or above.
  func tellOfUnheld(_ rows: some Collection<RowKey>, _ audience: UnheldAudience) {
    let told = followers.living.filter(audience.contains)
    guard !told.isEmpty else { return }
    var keys: [Int: [Int64]] = [:]
    for row in rows where nearest(row.key, row.entity) == nil {
      keys[row.entity, default: []].append(row.key)
    }
    for (entity, keys) in keys {
      for follower in told {
        follower.markChanged(keys, of: entity)
        family.operation.queueEnd(for: follower)
      }
    }
  }

  /// Notifies the followers of this context that any object may have changed.
  func tellEverything() {
    forEachFollower { follower in
      follower.markAllChanged()
      family.operation.queueEnd(for: follower)
    }
  }
}
