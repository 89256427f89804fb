/// The registration of a task that waits for a context.
final class WaitRegistration: Listener {
  let sleeper: TaskSleeper
  /// The sleeper, for prefetching. It is not retained, because retaining it would first have to
  /// load its memory.
  let sleeperMemory: SleeperRef
  /// The failure or block that ends the wait, even if it no longer holds when the task runs.
  private(set) var verdict: Verdict?
  var deadline: Task<Void, Never>?
  /// The waiting responder, until the wait ends.
  var responder: Responder?
  /// The mailbox in which the sleeper is registered, or was last.
  var mailbox: Mailbox?
  /// Whether the task has registered to be woken before. If so, it checks the answer first.
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

  /// Remembers a failure or block when it happens. The wait then throws, even if the load is
  /// retried before the waiting task runs.
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
  /// The registration is removed later, with others of the same node or by the next change that
  /// meets it.
  override func end() {
    super.end()
    deadline?.cancel()
    responder = nil
    mailbox = nil
  }
}
