/// What one responder says about one key.
///
/// A slot that expects a value, or whose value joined a mailbox, is never reused: whatever replaces
/// it is another object, so that a late delivery knows that it comes too late.
final class Slot: TableSlot {
  var state: SlotState
  /// The expected value, which a dying responder closes. It stays when the slot has its value.
  let pending: (any PendingValue)?
  /// The listener that tells the slot's value in which tree it is.
  var contextListener: ContextListener?

  init(_ key: any ErasedKey.Type, owner: Core, state: SlotState) {
    self.state = state
    if case .pending(let value, _) = state { pending = value } else { pending = nil }
    var inherits = false
    if case .branch = state { inherits = true }
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

  /// The summary that restoration and drawings read.
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

/// What a slot can say.
enum SlotState {
  case value(Cell)
  case pending(any PendingValue, PendingListener)
  case failed(Failure)
  case branch(Branch)
  case block
}

/// A value that a slot expects. It may be used from any thread.
protocol PendingValue: AnyObject, Sendable {
  /// Ends the expectation, and the task that makes the value.
  ///
  /// - Returns: the value that had arrived.
  @discardableResult
  func close() -> Cell?

  /// Takes the value, if it has arrived, to the mailbox of the tree that the slot is in now.
  func bind(to mailbox: Mailbox?)

  /// The mailbox to which the value is posted.
  var mailbox: Mailbox? { get }

  /// Whether the value is there and waits to be applied.
  var hasArrived: Bool { get }
}

/// Takes a slot's expected value to the mailbox of the tree it is in.
final class PendingListener: Listener {
  private let value: any PendingValue

  init(_ value: any PendingValue, _ key: any ErasedKey.Type) {
    self.value = value
    super.init(.mailbox, key)
  }

  override func bind(to mailbox: Mailbox?) { value.bind(to: mailbox) }
}

/// Tells a provided context in which tree it is.
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
  /// Connects a value that wants to know the mailbox.
  func joinMailbox() {
    guard case .value(let cell) = state, let context = cell.mailboxContext(key) else { return }
    let listener = ContextListener(context, key)
    contextListener = listener
    let owner = owner.strong
    listener.register(at: owner)
    listener.bind(to: owner.tree?.mailbox)
  }

  /// Disconnects a value that is no longer provided.
  func leaveMailbox() {
    contextListener?.unregister()
    contextListener?.bind(to: nil)
    contextListener = nil
  }
}

extension EntryRef {
  /// The slot that decides here, with what it says.
  var decider: Slot { slot.full }
}

extension NodeContents {
  /// Returns the node's own slot for a key, with what it says.
  func slot(_ id: KeyID) -> Slot? { ownSlot(id)?.full }

  /// The node's own slots with what they say, in no particular order.
  var slots: [Slot] { ownSlots.map(\.full) }
}

extension TableSlot {
  /// The slot with what it says: each slot in a table is one.
  var full: Slot { cast(to: Slot.self) }
}
