public import ObjectGraph

extension SQLiteStore {
  /// Returns a new root context on the store.
  public func makeContext() -> ObjectContext { ObjectContext(store: self) }

  /// Runs work in a context of its own on the store's own thread, and saves its unsaved changes at
  /// the end.
  ///
  /// Pieces of work run one after the other. If one throws or its task is cancelled, its unsaved
  /// changes are discarded.
  ///
  /// A closure of one expression returns its value. If the value is an object, the compiler says
  /// "type 'Object<Card>' does not conform to the 'Sendable' protocol". Assign it to `_` to return
  /// nothing:
  ///
  /// ```swift
  /// try await store.background { context, _ in _ = try context.insert(Card(question: "2 + 2?")) }
  /// ```
  public func background<Result: Sendable>(
    progress: (@Sendable (WorkProgress) -> Void)? = nil,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    try await queue.run(on: self, progress: progress, work)
  }
}
