import Synchronization

/// What a pending slot and the ``Delivery`` to it share.
///
/// Sendable although it carries a value that is not: `outcome` is written once under the lock with
/// a value that was sent, and taken once on the isolation of the slot's tree.
final class Promise: @unchecked Sendable {
  enum Outcome {
    case value(Cell)
    case failure(any Error)
  }

  private enum Phase {
    case open
    case arrived(Outcome)
    case closed
  }

  private struct State: @unchecked Sendable {
    // Protected by the promise's lock.
    var phase = Phase.open
    var mailbox: Mailbox?
  }

  private let state: Mutex<State>
  private weak let owner: Responder?
  private let id: KeyID

  init(_ owner: Responder, _ id: KeyID, mailbox: Mailbox?) {
    self.owner = owner
    self.id = id
    state = Mutex(State(mailbox: mailbox ?? Mailbox()))
  }

  /// The mailbox an outcome is posted to: the application's, or one of its own in a detached tree.
  var mailbox: Mailbox? { state.withLock { $0.mailbox } }

  /// Whether the outcome is there and waits to be applied.
  var hasArrived: Bool {
    state.withLock { if case .arrived = $0.phase { true } else { false } }
  }

  /// Stores the outcome and posts it; false if it comes too late.
  func settle(_ outcome: sending Outcome) -> Bool {
    guard owner != nil else { return false }
    let (isFirst, mailbox) = state.withLock { state -> (Bool, Mailbox?) in
      guard case .open = state.phase else { return (false, nil) }
      state.phase = .arrived(outcome)
      return (true, state.mailbox)
    }
    mailbox?.post(.settled(self))
    return isFirst
  }

  /// The slot moved to another tree.
  func bind(to mailbox: Mailbox?) {
    let (target, old, hasArrived) = state.withLock { state -> (Mailbox?, Mailbox?, Bool) in
      let old = state.mailbox
      state.mailbox = mailbox ?? Mailbox()
      if case .arrived = state.phase { return (state.mailbox, old, true) }
      return (state.mailbox, old, false)
    }
    if hasArrived, target !== old { target?.post(.settled(self)) }
  }

  /// The slot was replaced or withdrawn: whatever comes now is too late.
  ///
  /// - Returns: the value that had arrived, released outside the lock because its deinit may do
  ///   anything.
  @discardableResult
  func close() -> Cell? {
    let held = state.withLock { state -> State in
      defer { state = State(phase: .closed) }
      return state
    }
    if case .arrived(.value(let cell)) = held.phase { return cell }
    return nil
  }

  /// Settles the slot, on its tree's isolation, if `mailbox` is still where it belongs.
  func apply(from mailbox: Mailbox) {
    // While it is bound to this mailbox, its slot's tree is on the isolation that calls.
    guard self.mailbox === mailbox, let owner, let slot = owner.contents?.ownSlot(id),
      case .pending(let promise, _) = slot.state, promise === self
    else { return }
    let taken = state.withLock { state -> Outcome? in
      guard state.mailbox === mailbox, case .arrived(let outcome) = state.phase else { return nil }
      state.phase = .closed
      return outcome
    }
    if let taken { owner.settle(slot, taken) }
  }
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

/// The task behind a loading slot. It ends with its slot; cancelling it works from any thread.
final class LoadTask: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) {
    self.task = task
  }

  deinit { task.cancel() }

  func cancel() { task.cancel() }
}
