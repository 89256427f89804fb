/// The registration of a task that waits for a context.
final class WaitRegistration: Listener {
  let sleeper: TaskSleeper
  /// An unretained reference to the sleeper, for prefetching. Retaining the sleeper would first
  /// have to load its memory.
  let sleeperMemory: SleeperRef
  /// The failure or block that ends the wait, even if the answer has changed before the task runs;
  /// nil if there was none.
  private(set) var failure: WaitFailure?
  var deadline: Task<Void, Never>?
  /// The waiting responder; nil when the wait has ended.
  var responder: Responder?
  /// The mailbox in which the sleeper is registered or was registered last.
  var mailbox: Mailbox?
  /// Whether the task has registered with a mailbox before. If so, the task checks the answer
  /// before it registers again.
  var hasBegun = false

  init(_ key: any ErasedKey.Type, _ sleeper: TaskSleeper = TaskSleeper()) {
    self.sleeper = sleeper
    sleeperMemory = SleeperRef(sleeper)
    super.init(.waiting, key)
  }

  enum WaitFailure {
    case failed(any Error)
    case blocked
  }

  /// Records a failure or block when it happens. The wait then throws, even if the load is retried
  /// before the waiting task runs.
  override func recordFailure(in answer: Answer) {
    guard failure == nil else { return }
    switch answer {
    case .failed(let box): failure = .failed(box.error)
    case .blocked: failure = .blocked
    case .value, .pending, .missing: break
    }
  }

  /// Ends the wait, because the task goes on.
  ///
  /// The registration is removed later: with others of the same node, or after the next change that
  /// concerns it.
  override func end() {
    super.end()
    deadline?.cancel()
    responder = nil
    mailbox = nil
  }
}
