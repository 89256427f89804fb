public import ObjectGraph

extension SQLiteStore {
  /// Returns a new root context on the store.
  ///
  /// - Complexity: Linear in the number of entities.
  public func makeContext() -> ObjectContext { ObjectContext(store: self) }

  /// The commits to this store as a sequence, also those of other processes.
  public var commits: StoreCommits { StoreCommits(of: self) }

  /// Runs a closure with a new context on the store's own thread, and then saves the context's
  /// changes.
  ///
  /// The closures of several calls run one after the other. If a closure throws, or the task of its
  /// call is cancelled, the context's unsaved changes are discarded.
  ///
  /// A closure of one expression returns its value. If the value is an object, the compiler says
  /// "type 'Object<Card>' does not conform to the 'Sendable' protocol". Assign the object to `_` to
  /// return nothing:
  ///
  /// ```swift
  /// try await store.background { context, _ in _ = try context.insert(Card(question: "2 + 2?")) }
  /// ```
  ///
  /// - Complexity: That of the closure, of ``makeContext()`` and of saving the changes.
  public func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await queue.run(on: self, progress: progress, work)
  }
}
