import Dispatch

/// Runs long work on a thread of its own, and returns the result. If the caller's task is
/// cancelled, the `Cancellation` of the work is cancelled too.
///
/// Each call creates a serial queue, which gives the work a thread. A concurrent queue would use
/// the threads of Swift tasks, of which there is one for each processor. If long work kept all of
/// them busy, no task could run, not even a task that cancels the work.
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
