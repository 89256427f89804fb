/// The value or state that one responder has for one key.
///
/// A slot that expects a value, or whose value joined a mailbox, is never reused. Its replacement
/// is another object, so that a late delivery can tell that it comes too late.
final class Slot: TableSlot {
  var state: SlotState
  /// The expected value. It stays here after it has arrived. The responder's deinit ends the
  /// expectation.
  let pending: (any PendingValue)?
  /// The listener that tells the slot's value which mailbox the tree has.
  var contextListener: ContextListener?

  init(_ key: any ErasedKey.Type, owner: Core, state: SlotState) {
    self.state = state
    var inherits = false
    switch state {
    case .pending(let value, _): pending = value
    case .branch:
      pending = nil
      inherits = true
    case .value, .failed, .block: pending = nil
    }
    super.init(key, owner: owner, inherits: inherits)
  }

  override var settledCell: Cell? {
    switch state {
    case .value(let cell): cell
    case .branch(let branch): branch.settled
    case .pending, .failed, .block: nil
    }
  }

  override func ownerWillEnd() { pending?.close() }

  /// The kind of the slot, for ``SlotSummary``, explanations and drawings.
  var kind: SlotSummary.SlotKind {
    switch state {
    case .value: .value
    case .pending: .pending
    case .failed: .failed
    case .branch(let branch): .branch(branch.policy)
    case .block: .block
    }
  }
}

/// The state of a slot.
enum SlotState {
  case value(Cell)
  case pending(any PendingValue, PendingListener)
  case failed(Failure)
  case branch(Branch)
  case block
}

/// A value that a slot expects. It may be used on any thread.
protocol PendingValue: AnyObject, Sendable {
  /// Ends the expectation, and cancels the task that makes the value.
  ///
  /// - Returns: the value that had arrived and was not applied.
  @discardableResult
  func close() -> Cell?

  /// Binds the value to the mailbox of the tree that the slot is in now, and posts the value there
  /// if it has arrived.
  func bind(to mailbox: Mailbox?)

  /// The mailbox to which the value is posted.
  var mailbox: Mailbox? { get }

  /// Whether the value has arrived and is not applied yet.
  var hasArrived: Bool { get }
}

/// A listener that binds a slot's expected value to the mailbox of the tree it is in.
final class PendingListener: Listener {
  private let value: any PendingValue

  init(_ value: any PendingValue, _ key: any ErasedKey.Type) {
    self.value = value
    super.init(.mailbox, key)
  }

  override func bind(to mailbox: Mailbox?) { value.bind(to: mailbox) }
}

/// A listener that tells a provided context the mailbox of the tree it is in.
final class ContextListener: Listener {
  private let context: any MailboxContext
  private var mailbox: Mailbox?

  init(_ context: any MailboxContext, _ key: any ErasedKey.Type) {
    self.context = context
    super.init(.mailbox, key)
  }

  override func bind(to mailbox: Mailbox?) {
    guard mailbox !== self.mailbox else { return }
    let left = self.mailbox
    self.mailbox = mailbox
    if let left { context.didLeave(left) }
    if let mailbox { context.didJoin(mailbox) }
  }
}

extension Slot {
  /// Joins the value to the mailbox of its tree, if it is a ``MailboxContext``.
  func joinMailbox() {
    guard case .value(let cell) = state, let context = cell.mailboxContext(key) else { return }
    let listener = ContextListener(context, key)
    contextListener = listener
    let owner = owner.strong
    listener.register(at: owner)
    listener.bind(to: owner.tree?.mailbox)
  }

  /// Separates the value, which is no longer provided here, from the mailbox of its tree.
  func leaveMailbox() {
    contextListener?.unregister()
    contextListener?.bind(to: nil)
    contextListener = nil
  }
}

extension EntryRef {
  /// The slot that answers lookups here, with its state.
  var decider: Slot { slot.full }
}

extension NodeContents {
  /// Returns the node's own slot for a key, with its state.
  func slot(_ id: KeyID) -> Slot? { ownSlot(id)?.full }

  /// The node's own slots with their states, in no particular order.
  var slots: [Slot] { ownSlots.map(\.full) }
}

extension TableSlot {
  /// The slot with its state; each slot in a table is a ``Slot``.
  var full: Slot { cast(to: Slot.self) }
}
