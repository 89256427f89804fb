/// The value or state that one responder has for one key.
///
/// A slot that was pending, or whose value joined a mailbox, never gets another provided value. A
/// new slot replaces it, so that a late delivery can detect that its slot is gone.
final class Slot: TableSlot {
  var state: SlotState
  /// The promise of a slot that was made pending; nil for other slots. It stays here after the
  /// value has arrived. The responder's deinit closes the promise.
  let pending: (any PendingValue)?
  /// The listener that tells a ``MailboxContext`` in this slot about the tree's mailbox; nil for
  /// other values.
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

  override var readableCell: Cell? {
    switch state {
    case .value(let cell): cell
    case .branch(let branch): branch.published
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

/// The state of a slot, with the data that is valid only in this state.
enum SlotState {
  case value(Cell)
  case pending(any PendingValue, PendingListener)
  case failed(FailureBox)
  case branch(Branch)
  case block
}

/// A value that a slot expects. All its functions may be called on any thread.
protocol PendingValue: AnyObject, Sendable {
  /// Whether a task makes the value, or the value has arrived and was not put into the slot yet.
  var isLoading: Bool { get }
  /// Ends the expectation, and cancels the task that makes the value.
  ///
  /// - Returns: the value that had arrived and was not put into the slot yet; nil if there is none.
  @discardableResult
  func close() -> Cell?

  /// Binds the expected value to the mailbox of the slot's present tree. If the value has arrived
  /// already, posts it to this mailbox.
  func bind(to mailbox: Mailbox?)

  /// The mailbox to which the value is posted; nil after ``close()``.
  var mailbox: Mailbox? { get }

  /// Whether the value has arrived and was not put into the slot yet.
  var hasArrived: Bool { get }
}

/// A listener that binds a slot's expected value to the mailbox of the slot's tree.
final class PendingListener: Listener {
  private let value: any PendingValue

  init(_ value: any PendingValue, _ key: any ErasedKey.Type) {
    self.value = value
    super.init(.mailbox, key)
  }

  override func bind(to mailbox: Mailbox?) { value.bind(to: mailbox) }
}

/// A listener that tells a ``MailboxContext`` when it joins or leaves the mailbox of a tree.
final class ContextListener: Listener {
  let context: any MailboxContext
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
  /// Joins the slot's value to the mailbox of the tree, if the value is a ``MailboxContext``.
  func joinMailbox() {
    guard case .value(let cell) = state, let context = cell.mailboxContext(key) else { return }
    let listener = ContextListener(context, key)
    contextListener = listener
    let owner = owner.strong
    listener.register(at: owner)
    listener.bind(to: owner.tree?.mailbox)
  }

  /// Separates the slot's value from the mailbox of the tree, because the slot no longer provides
  /// it.
  func leaveMailbox() {
    contextListener?.unregister()
    contextListener?.bind(to: nil)
    contextListener = nil
  }
}

extension EntryRef {
  /// The slot of this table entry. It answers lookups of its key at the node that has the table.
  var decider: Slot { slot.full }
}

extension NodeContents {
  /// Returns the node's own slot for a key; nil if there is none.
  func slot(_ id: KeyID) -> Slot? { ownSlot(id)?.full }

  /// The node's own slots, in no particular order.
  var slots: [Slot] { ownSlots.map(\.full) }
}

extension TableSlot {
  /// The slot as a ``Slot``, which is the class of all slots in tables.
  var full: Slot { cast(to: Slot.self) }
}
