/// A context to which news come from elsewhere, like a database's.
///
/// While it is provided in a tree it knows the tree's mailbox, and posts what arrives there, so that
/// the news are applied on the tree's own isolation.
public protocol MailboxContext: AnyObject {
  /// Called when the context is provided, moves with its responder into another tree, or is no
  /// longer provided; there is no mailbox in a detached tree.
  func didJoin(_ mailbox: Mailbox?)
}

/// Carries something to the mailbox of the tree it is in.
class TreeListener: Listener {
  init(_ key: any ErasedKey.Type) { super.init(.promise, key) }

  func bind(to mailbox: Mailbox?) {}
}

/// Carries a pending slot's promise to the mailbox of the tree it is in.
final class PromiseListener: TreeListener {
  let promise: Promise

  init(_ promise: Promise, _ key: any ErasedKey.Type) {
    self.promise = promise
    super.init(key)
  }

  override func bind(to mailbox: Mailbox?) { promise.bind(to: mailbox) }
}

/// Tells a provided context in which tree it is.
final class ContextListener: TreeListener {
  private let context: any MailboxContext

  init(_ context: any MailboxContext, _ key: any ErasedKey.Type) {
    self.context = context
    super.init(key)
  }

  override func bind(to mailbox: Mailbox?) { context.didJoin(mailbox) }
}

extension Slot {
  /// Connects a value that wants to know the mailbox.
  func joinMailbox() {
    guard case .value(let cell) = state, let context = key.mailboxContext(in: cell) else { return }
    let listener = ContextListener(context, key)
    self.listener = listener
    listener.register(at: owner)
    listener.bind(to: owner.tree?.mailbox)
  }

  /// Disconnects a value that is no longer provided.
  func leaveMailbox() {
    listener?.unregister()
    listener?.bind(to: nil)
    listener = nil
  }
}
