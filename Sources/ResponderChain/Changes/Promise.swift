import Synchronization

/// An expected value, shared by the pending slot and its ``Delivery``.
final class Promise: PendingValue {
  enum Outcome {
    case value(Cell)
    case failure(any Error)
  }

  private struct PromiseState {
    /// Whether an outcome is still accepted.
    var isOpen = true
    /// The outcome that has arrived and is not applied yet.
    var outcome: Confined<Outcome>?
    var mailbox: Mailbox?
    /// The task that makes the value. It refers to the promise until it ends.
    var load: Task<Void, Never>?
  }

  private let state: Mutex<PromiseState>
  private let owner: ConfinedWeak<Responder>
  private let id: KeyID

  init(_ owner: Responder, _ id: KeyID, mailbox: Mailbox?) {
    self.owner = ConfinedWeak(owner)
    self.id = id
    state = Mutex(PromiseState(mailbox: mailbox ?? Mailbox()))
  }

  /// The mailbox to which the outcome is posted: the application's, or the promise's own in a
  /// detached tree.
  var mailbox: Mailbox? { state.withLock { $0.mailbox } }

  /// Whether the outcome has arrived and is not applied yet.
  var hasArrived: Bool { state.withLock { $0.outcome != nil } }

  /// Keeps the task, which is cancelled when the expectation ends.
  func keep(_ load: Task<Void, Never>) {
    let isLate = state.withLock { state in
      guard state.isOpen else { return true }
      state.load = load
      return false
    }
    if isLate { load.cancel() }
  }

  /// Accepts the outcome and posts it.
  ///
  /// - Returns: false if the outcome comes too late.
  func settle(_ outcome: sending Outcome) -> Bool {
    guard owner.strong != nil else { return false }
    let outcome = Confined(outcome)
    let (isFirst, mailbox) = state.withLock { state -> (Bool, Mailbox?) in
      guard state.isOpen else { return (false, nil) }
      state.isOpen = false
      state.outcome = outcome
      state.load = nil
      return (true, state.mailbox)
    }
    mailbox?.post(self)
    return isFirst
  }

  /// Binds the promise to the mailbox of the tree that the slot is in now, and posts the promise
  /// there if its outcome has arrived.
  func bind(to mailbox: Mailbox?) {
    let (target, old, hasArrived) = state.withLock { state -> (Mailbox?, Mailbox?, Bool) in
      let old = state.mailbox
      state.mailbox = mailbox ?? Mailbox()
      return (state.mailbox, old, state.outcome != nil)
    }
    if hasArrived, target !== old { target?.post(self) }
  }

  /// Ends the expectation and cancels the task that loads the value. An outcome that arrives later
  /// is refused.
  ///
  /// - Returns: the value that had arrived and was not applied. The caller releases it outside the
  ///   lock, because its deinit may run any code.
  @discardableResult
  func close() -> Cell? {
    let held = state.withLock { state -> PromiseState in
      defer { state = PromiseState(isOpen: false) }
      return state
    }
    held.load?.cancel()
    return if case .value(let cell) = held.outcome?.value { cell } else { nil }
  }
}

extension Promise: Letter {
  var isAction: Bool { false }

  /// Puts the outcome into the slot, if the promise is still bound to `mailbox`. This runs on the
  /// isolation of the slot's tree.
  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    // While the promise is bound to this mailbox, its slot's tree is on the isolation that calls.
    guard isBound(to: mailbox), let owner = owner.strong,
      let slot = owner.contents?.slot(id), case .pending(let value, let listener) = slot.state,
      value === self
    else { return }
    let taken = state.withLock { $0.mailbox === mailbox ? $0.outcome.take() : nil }
    if let taken { owner.settle(slot, listener, taken.value) }
  }

  private func isBound(to mailbox: Mailbox) -> Bool { state.withLock { $0.mailbox === mailbox } }
}

/// A handle that fills a pending slot, on any thread and from any task.
///
/// A delivery has no effect and returns false if its responder has ended, or if its slot was
/// filled, replaced or withdrawn. So a late result never brings back a slot that was withdrawn.
public struct Delivery<Value>: Sendable {
  let promise: Promise

  /// Delivers the value. Waiting tasks and observers receive it when the mailbox applies its
  /// letters.
  ///
  /// - Returns: whether the value was accepted.
  @discardableResult
  public func deliver(_ value: sending Value) -> Bool {
    promise.settle(.value(TypedCell(value)))
  }

  /// Fails the expectation with an error.
  ///
  /// - Returns: whether the error was accepted.
  @discardableResult
  public func fail(_ error: any Error) -> Bool {
    promise.settle(.failure(error))
  }
}
