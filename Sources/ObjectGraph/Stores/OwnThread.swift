import Dispatch

/// Runs long work on a thread of its own, and returns the result. If the caller's task is
/// cancelled, the `Cancellation` of the work is cancelled too.
///
/// A task that has an ``OwnThread`` already goes on there.
package func onOwnThread<R: Sendable>(
  _ work: @escaping @Sendable (Cancellation) -> R
) async -> R {
  if OwnThread.isCurrent { return await cancellable(work) }
  return await withTaskExecutorPreference(OwnThread()) { await cancellable(work) }
}

private func cancellable<R: Sendable>(
  _ work: @escaping @Sendable (Cancellation) -> R
) async -> R {
  let cancellation = Cancellation()
  return await withTaskCancellationHandler {
    work(cancellation)
  } onCancel: {
    cancellation.cancel()
  }
}

/// An executor with a serial queue, which gives the work a thread.
///
/// A concurrent queue would use the threads of Swift tasks, of which there is one for each
/// processor. If long work kept all of them busy, no task could run, not even a task that cancels
/// the work. A continuation was rejected, because Swift resumes it on one of these threads before
/// it returns to the caller's actor (benchmark `open`).
package final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "lineage.work")
  private static let mark = DispatchSpecificKey<Void>()

  package init() { queue.setSpecific(key: Self.mark, value: ()) }

  /// Whether the caller runs on such an executor.
  fileprivate static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure retains this executor until the job has run.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
