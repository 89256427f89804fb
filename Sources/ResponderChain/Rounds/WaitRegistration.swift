/// The registration of a task that waits for a context.
final class WaitRegistration: Listener {
  let sleeper: TaskSleeper
  /// The sleeper, for prefetching: retaining it would wait for its memory.
  let sleeperMemory: SleeperRef
  /// The end of the wait, even if it no longer holds when the task runs.
  private(set) var verdict: Verdict?
  var deadline: Task<Void, Never>?
  /// The responder that waits, as long as it does.
  var responder: Responder?
  /// The mailbox among whose sleepers the task is, or was last.
  var mailbox: Mailbox?
  /// Whether the task has slept or yielded.
  var hasBegun = false

  init(_ key: any ErasedKey.Type, _ sleeper: TaskSleeper = TaskSleeper()) {
    self.sleeper = sleeper
    sleeperMemory = SleeperRef(sleeper)
    super.init(.waiting, key)
  }

  enum Verdict {
    case failed(any Error)
    case blocked
  }

  /// Remembers a failure when it happens: waits for it throw, even if it is retried before their
  /// tasks run.
  override func note(_ answer: Answer) {
    guard verdict == nil else { return }
    switch answer {
    case .failed(let failure): verdict = .failed(failure.error)
    case .blocked: verdict = .blocked
    case .value, .pending, .missing: break
    }
  }

  /// Ends the wait, because the task goes on.
  ///
  /// The registration is removed with others of the same node, or by the next change that meets it.
  override func end() {
    super.end()
    deadline?.cancel()
    responder = nil
    mailbox = nil
  }
}
