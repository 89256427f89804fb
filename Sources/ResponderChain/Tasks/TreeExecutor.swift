import Synchronization

/// The executor of the tasks of one tree. Its jobs are letters. So a task runs only where the tree's
/// letters are applied, on the tree's isolation, and never at the same time as other code of the tree.
final class TreeExecutor: TaskExecutor {
  private let mailbox: Mailbox
  /// Whether a job is running.
  private let isBusy = Atomic(false)

  init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  func enqueue(_ job: consuming ExecutorJob) {
    mailbox.post(JobLetter(job: UnownedJob(job), executor: self))
  }

  /// Runs a job. If a job has applied this job's letter, this one must wait for its end.
  fileprivate func run(_ letter: JobLetter) {
    guard !isBusy.exchange(true, ordering: .acquiringAndReleasing) else {
      return mailbox.post(letter)
    }
    unsafe letter.job.runSynchronously(on: asUnownedTaskExecutor())
    isBusy.store(false, ordering: .releasing)
  }
}

/// A letter with the next job of a task.
private struct JobLetter: Letter {
  let job: UnownedJob
  let executor: TreeExecutor

  /// False, because a job that never runs leaves its task waiting for ever.
  var isAction: Bool { false }

  func apply(from mailbox: Mailbox, to root: AnyObject?) { executor.run(self) }
}
