import Synchronization

/// A value that is expected: shared by the pending slot and the ``Delivery`` to it.
final class Promise: PendingValue {
  enum Outcome {
    case value(Cell)
    case failure(any Error)
  }

  private struct PromiseState {
    /// Whether an outcome would be taken.
    var isOpen = true
    /// The outcome that has arrived, and waits to be applied.
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

  /// The mailbox an outcome is posted to: the application's, or one of its own in a detached tree.
  var mailbox: Mailbox? { state.withLock { $0.mailbox } }

  /// Whether the outcome is there and waits to be applied.
  var hasArrived: Bool { state.withLock { $0.outcome != nil } }

  /// Has the task cancelled when the expectation ends.
  func keep(_ load: Task<Void, Never>) {
    let isLate = state.withLock { state in
      guard state.isOpen else { return true }
      state.load = load
      return false
    }
    if isLate { load.cancel() }
  }

  /// Stores the outcome and posts it; false if it comes too late.
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

  /// Takes the outcome, if it has arrived, to the mailbox of the tree that the slot is in now.
  func bind(to mailbox: Mailbox?) {
    let (target, old, hasArrived) = state.withLock { state -> (Mailbox?, Mailbox?, Bool) in
      let old = state.mailbox
      state.mailbox = mailbox ?? Mailbox()
      return (state.mailbox, old, state.outcome != nil)
    }
    if hasArrived, target !== old { target?.post(self) }
  }

  /// Ends the expectation: whatever comes now is too late.
  ///
  /// - Returns: the value that had arrived, released outside the lock because its deinit may do
  ///   anything.
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

  /// Settles the slot, on its tree's isolation, if `mailbox` is still where it belongs.
  func apply(from mailbox: Mailbox, to root: AnyObject?) {
    // While it is bound to this mailbox, its slot's tree is on the isolation that calls.
    guard isBound(to: mailbox), let owner = owner.strong,
      let slot = owner.contents?.slot(id), case .pending(let value, let listener) = slot.state,
      value === self
    else { return }
    let taken = state.withLock { $0.mailbox === mailbox ? $0.outcome.take() : nil }
    if let taken { owner.settle(slot, listener, taken.value) }
  }

  private func isBound(to mailbox: Mailbox) -> Bool { state.withLock { $0.mailbox === mailbox } }
}

/// The way to fill a pending slot, from any thread and task.
///
/// It does nothing, and says so, once its slot was settled, replaced or withdrawn, or its
/// responder is gone: a late result never resurrects what was taken back.
public struct Delivery<Value>: Sendable {
  let promise: Promise

  /// Hands over the value, which waiters and observers hear as soon as the mailbox is opened.
  ///
  /// - Returns: whether it was taken.
  @discardableResult
  public func deliver(_ value: sending Value) -> Bool {
    promise.settle(.value(TypedCell(value)))
  }

  /// Says that there will be no value.
  ///
  /// - Returns: whether it was taken.
  @discardableResult
  public func fail(_ error: any Error) -> Bool {
    promise.settle(.failure(error))
  }
}
