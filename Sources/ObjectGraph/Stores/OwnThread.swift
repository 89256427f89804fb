import Dispatch

/// Runs long work on its own thread. If the caller's task is cancelled, the `Cancellation` that the
/// work was given is cancelled, too.
///
/// Each call creates a serial queue, which gives the work a thread. A concurrent queue would use
/// the threads that tasks run on, of which there are as many as processors. If all of these were
/// busy in an engine, no task could run, not even the one that cancels the work.
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
