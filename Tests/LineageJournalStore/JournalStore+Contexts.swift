package import ObjectGraph

extension JournalStore {
  /// Returns a new root context on the store.
  package func makeContext() -> ObjectContext { ObjectContext(store: self) }

  /// Works in a context of its own on the store's own thread, and saves what is left unsaved.
  package func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await queue.run(on: self, progress: progress, work)
  }
}
