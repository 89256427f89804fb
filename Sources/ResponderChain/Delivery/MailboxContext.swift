/// A context to which news come from elsewhere, like a database's.
///
/// While it is provided in a tree it knows the tree's mailbox, and posts what arrives there, so that
/// the news are applied on the tree's own isolation. One that is provided at several places, or in
/// several trees, joins and leaves for each of them.
public protocol MailboxContext: AnyObject {
  /// Called when the context is provided in a tree with an application, or comes into one with its
  /// responder. The tree finds the context by then.
  func didJoin(_ mailbox: Mailbox)
  /// Called when the context is no longer provided where it joined, or its responder is elsewhere;
  /// not when a responder's life ends, and the mailbox with the last of its tree.
  func didLeave(_ mailbox: Mailbox)
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
  private var mailbox: Mailbox?

  init(_ context: any MailboxContext, _ key: any ErasedKey.Type) {
    self.context = context
    super.init(key)
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
