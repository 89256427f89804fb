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
    /// The outcome that has arrived and was not put into the slot yet; nil if there is none.
    var outcome: Confined<Outcome>?
    var mailbox: Mailbox?
    /// The task that makes the value; nil if there is none. The task retains the promise until the
    /// task ends.
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
  /// detached tree. It is nil after the expectation has ended.
  var mailbox: Mailbox? { state.withLock { $0.mailbox } }

  var isLoading: Bool { state.withLock { $0.load != nil || $0.outcome != nil } }

  /// Whether the outcome has arrived and was not put into the slot yet.
  var hasArrived: Bool { state.withLock { $0.outcome != nil } }

  /// Stores the task that makes the value. The task is cancelled when the expectation ends, or at
  /// once if no outcome is accepted any more.
  func keep(_ load: Task<Void, Never>) {
    let isLate = state.withLock { state in
      guard state.isOpen else { return true }
      state.load = load
      return false
    }
    if isLate { load.cancel() }
  }

  /// Accepts an outcome, and posts the promise to its mailbox.
  ///
  /// - Returns: false if the expectation has ended, or if an outcome was accepted before.
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

  /// Binds the promise to the mailbox of the slot's present tree, or to a mailbox of its own if
  /// that tree has none. If the outcome has arrived already, posts the promise there.
  func bind(to mailbox: Mailbox?) {
    let (target, old, hasArrived, isLoading) = state.withLock { state in
      let old = state.mailbox
      state.mailbox = mailbox ?? Mailbox()
      return (state.mailbox, old, state.outcome != nil, state.load != nil)
    }
    guard target !== old else { return }
    if hasArrived { target?.post(self) }
    if hasArrived || isLoading { old?.post(EndOfLoad()) }
  }

  /// Ends the expectation and cancels the task that loads the value. An outcome that arrives later
  /// is refused.
  ///
  /// - Returns: the value that had arrived and was not put into the slot yet; nil if there is none.
  ///   It is released outside the lock, because its deinit may run any code.
  @discardableResult
  func close() -> Cell? {
    let held = state.withLock { state -> PromiseState in
      defer { state = PromiseState(isOpen: false) }
      return state
    }
    if let load = held.load {
      load.cancel()
      // A task may wait until nothing is loaded any more.
      held.mailbox?.post(EndOfLoad())
    }
    return if case .value(let cell) = held.outcome?.value { cell } else { nil }
  }
}

/// A letter that says that a load was cancelled, or has left the tree.
private struct EndOfLoad: Letter {
  var isAction: Bool { true }

  func apply(from mailbox: Mailbox, to root: AnyObject?) {}
}

extension Promise: Letter {
  var isAction: Bool { false }

  /// Puts the outcome into the slot, if the promise is still bound to `mailbox`. This runs on the
  /// isolation of the slot's tree.
  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    // While the promise is bound to this mailbox, the slot's tree is on the isolation that applies
    // the letter.
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
/// Its functions have no effect and return false if the slot's responder has ended, or if the slot
/// was filled, replaced or withdrawn. So a late result never restores a slot that was withdrawn.
public struct Delivery<Value>: Sendable {
  let promise: Promise

  /// Delivers the value. Waiting tasks and observers receive it when the letters of the tree's
  /// mailbox are applied.
  ///
  /// The value moves to the isolation of the tree. `#expect` keeps the values of its expression, so
  /// the compiler refuses a delivery of a class inside it. Deliver before the expectation instead.
  ///
  /// - Returns: whether the value was accepted.
  @discardableResult
  public func deliver(_ value: sending Value) -> Bool {
    promise.settle(.value(TypedCell(value)))
  }

  /// Delivers an error instead of a value. The slot's state is then a failure.
  ///
  /// - Returns: whether the error was accepted.
  @discardableResult
  public func fail(_ error: any Error) -> Bool {
    promise.settle(.failure(error))
  }
}
