/// A context that is told of changes in other isolations, such as commits to a database.
///
/// While it is provided in a tree it knows the tree's mailbox, and posts there. So the changes are
/// applied on the tree's own isolation. A context that is provided at several places, or in several
/// trees, joins and leaves once for each of them. Otherwise the first place that stops providing it
/// would separate it from all.
public protocol MailboxContext: AnyObject {
  /// Tells the context that it is provided in a tree with an application, or came into one with its
  /// responder. Lookups in the tree find the context by then.
  func didJoin(_ mailbox: Mailbox)
  /// Tells the context that it is no longer provided at a place where it joined, or that its
  /// responder left the tree. It is not called when the responder ends, because the mailbox is
  /// released with the last of its tree.
  func didLeave(_ mailbox: Mailbox)
}
