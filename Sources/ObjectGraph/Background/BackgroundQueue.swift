import Dispatch

/// A store's own thread for background work: one piece after the other.
package final class BackgroundQueue: Sendable {
  private let queue = DispatchQueue(label: "Lineage.background")

  package init() {}

  /// Runs work in a context of its own, and saves what it left unsaved.
  ///
  /// What was not saved when it throws, or is cancelled, is forgotten.
  package func run<Result: Sendable>(
    on store: any ObjectStore,
    progress tell: (@Sendable (WorkProgress) -> Void)?,
    _ work: @escaping @Sendable (ObjectContext, WorkProgress) throws -> Result
  ) async throws -> Result {
    let progress = WorkProgress(tell)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          let context = ObjectContext(store: store)
          // The thread is nobody's task, so that reads ask the work itself.
          context.family.terms.work = progress
          do {
            try progress.check()
            let result = try work(context, progress)
            try progress.check()
            try context.save()
            continuation.resume(returning: result)
          } catch {
            context.discard()
            // Whether it was reading when it was cancelled, or not, is the same to its caller.
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
