import Dispatch

/// Runs long work on a thread of its own. If the caller's task is cancelled, the work's
/// `Cancellation` is cancelled too.
///
/// Each call creates a serial queue, which gives the work a thread. A concurrent queue would use
/// the threads of tasks, and there is one for each processor. If an engine kept all of them busy,
/// no task could run, not even a task that cancels the work.
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
