extension Store {
  /// Copies all objects into another store, which must be empty, and gives it the id of this store. So
  /// references to objects, also in restored state, lead to the copies.
  ///
  /// ```swift
  /// try await file.copy(to: server)
  /// ```
  ///
  /// The copy has the objects of one moment of this store. It appears whole or not at all: if the task is
  /// cancelled, or anything fails, the other store stays empty. Open it in this process only until then.
  /// Both stores must have the same entities.
  ///
  /// - Complexity: O(objects). Memory for some megabytes of them, unless the other store is in memory.
  public func copy(
    to other: some Store, progress: (@Sendable (WorkProgress) -> Void)? = nil
  ) async throws {
    let (source, target) = (access.store, other.access.store)
    let progress = WorkProgress(progress)
    try await onOwnThread { cancellation in
      Result {
        let contents = try StoreContents(of: source, for: target, cancellation) {
          try progress.report($0, of: $1)
        }
        try target.fill(with: contents)
      }
    }.get()
  }
}
