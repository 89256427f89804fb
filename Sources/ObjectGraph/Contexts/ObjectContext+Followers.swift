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
