import Dispatch

/// Runs long work on a thread of its own, and returns the result. If the caller's task is
/// cancelled, the `Cancellation` of the work is cancelled too.
package func onOwnThread<R: Sendable>(
  _ work: @escaping @Sendable (Cancellation) -> R
) async -> R {
  let cancellation = Cancellation()
  return await withTaskExecutorPreference(OwnThread()) {
    await withTaskCancellationHandler {
      work(cancellation)
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// An executor with a serial queue, which gives the work a thread.
///
/// A concurrent queue would use the threads of Swift tasks, of which there is one for each
/// processor. If long work kept all of them busy, no task could run, not even a task that cancels
/// the work. A continuation was rejected, because Swift resumes it on one of these threads before
/// it returns to the caller's actor (benchmark `open`).
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "lineage.work")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure retains this executor until the job has run.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
