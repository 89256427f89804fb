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
