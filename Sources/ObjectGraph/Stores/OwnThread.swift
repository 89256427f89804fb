import Dispatch

/// Runs long work on a thread of its own; when the caller's task is cancelled, the work is told.
///
/// A serial queue for each is what gives it a thread. On a concurrent queue it would take one of
/// those that tasks run on, of which there are as many as processors: with all of them busy in
/// an engine no task would run any more, not even the one that cancels the work.
package func onOwnThread<R: Sendable>(
  _ work: @escaping @Sendable (Cancellation) -> R
) async -> R {
  let cancellation = Cancellation()
  return await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "lineage.work").async {
        continuation.resume(returning: work(cancellation))
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
}
