import Synchronization

/// The executor of the tasks of one tree. Its jobs are letters. So a task runs only where the tree's
/// letters are applied, on the tree's isolation, and never at the same time as other code of the tree.
///
/// It is the preference of its tasks, and not the executor of an actor. An actor's task would leave it in
/// the body of `withTaskGroup` and in similar closures, and the compiler would not say so.
final class TreeExecutor: TaskExecutor {
  private let mailbox: Mailbox
  private let state = Mutex(JobState())

  private struct JobState {
    var isBusy = false
    /// The jobs whose letters were applied while another job was running.
    var late: [UnownedJob] = []
  }

  init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  func enqueue(_ job: consuming ExecutorJob) { post(UnownedJob(job)) }

  private func post(_ job: UnownedJob) { mailbox.post(JobLetter(job: job, executor: self)) }

  /// Runs a job. If another job has applied its letter, it waits for the end of that one.
  fileprivate func run(_ job: UnownedJob) {
    let isFirst = state.withLock { state in
      if state.isBusy { state.late.append(job) }
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFirst else { return }
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    let late = state.withLock { state in
      defer { state = JobState() }
      return state.late
    }
    late.forEach(post)
  }
}

/// A letter with the next job of a task.
private struct JobLetter: Letter {
  let job: UnownedJob
  let executor: TreeExecutor

  /// False, because a job that never runs leaves its task waiting for ever.
  var isAction: Bool { false }

  func apply(from mailbox: Mailbox, to root: AnyObject?) { executor.run(job) }
}
