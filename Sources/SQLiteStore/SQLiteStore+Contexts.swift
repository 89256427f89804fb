public import ObjectGraph

extension SQLiteStore {
  /// A root context on the store, for whoever calls.
  public func makeContext() -> ObjectContext { ObjectContext(store: self) }

  /// Works in a context of its own on the store's own thread, and saves what is left unsaved.
  ///
  /// Pieces of work run one after the other. If one throws or its task is cancelled, what it has
  /// not saved is forgotten.
  public func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await queue.run(on: self, progress: progress, work)
  }
}
