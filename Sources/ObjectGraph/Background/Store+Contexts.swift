extension Store {
  /// Returns a new root context of the store.
  ///
  /// - Complexity: Linear in the number of entities.
  public func makeContext() -> ObjectContext { ObjectContext(store: access.store) }

  /// The commits to this store as a sequence, also those of other processes.
  public var commits: StoreCommits { StoreCommits(of: access.store) }

  /// Runs a closure in a new context on the store's background thread, then saves the changes that
  /// the closure did not save itself.
  ///
  /// Closures run one after the other. If a closure throws, or if the caller's task is cancelled,
  /// the unsaved changes of the closure are discarded.
  ///
  /// A closure that is one expression returns the value of the expression. If the value is an
  /// object, the compiler reports "type 'Object<Card>' does not conform to the 'Sendable'
  /// protocol". Assign the object to `_` instead:
  ///
  /// ```swift
  /// try await store.background { context, _ in _ = try context.insert(Card(question: "2 + 2?")) }
  /// ```
  ///
  /// - Complexity: That of the closure, of ``makeContext()`` and of ``ObjectContext/save()``.
  public func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await access.queue.run(on: access.store, progress: progress, work)
  }
}
