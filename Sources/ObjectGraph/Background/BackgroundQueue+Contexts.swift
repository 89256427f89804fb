extension BackgroundQueue {
  /// Runs a closure in a new context, then saves the changes that the closure did not save itself.
  ///
  /// If the closure throws, or if the caller's task is cancelled, the unsaved changes of the
  /// closure are discarded.
  package func run<Result: Sendable>(
    on store: any ObjectStore,
    progress tell: (@Sendable (WorkProgress) -> Void)?,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    let progress = WorkProgress(tell)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add {
          let context = ObjectContext(store: store)
          // The work runs on a thread without a task. So reads ask `progress`, and not the task,
          // whether they are cancelled.
          context.session.terms.work = progress
          do {
            try progress.check()
            let result = try work(context, progress)
            try progress.check()
            try context.save()
            continuation.resume(returning: result)
          } catch {
            context.discard()
            // If a read was cancelled, the caller gets the error that `check()` would have thrown.
            if case .cancelled? = (error as? GraphError)?.reason, progress.isCancelled {
              continuation.resume(throwing: CancellationError())
            } else {
              continuation.resume(throwing: error)
            }
          }
        }
      }
    } onCancel: {
      progress.cancel()
    }
  }
}
