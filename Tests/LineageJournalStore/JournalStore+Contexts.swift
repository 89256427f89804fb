package import ObjectGraph

extension JournalStore {
  /// Returns a new root context on the store.
  package func makeContext() -> ObjectContext { ObjectContext(store: self) }

  /// Runs work in a new context on the store's own queue, and saves the context's unsaved changes
  /// at the end.
  package func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await queue.run(on: self, progress: progress, work)
  }
}
