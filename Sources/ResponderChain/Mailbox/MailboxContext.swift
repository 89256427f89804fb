/// A context that is told of changes in other isolations, such as commits to a database.
///
/// While it is provided in a tree it knows the tree's mailbox, and posts there. So the changes are
/// applied on the tree's own isolation. A context that is provided at several places, or in several
/// trees, joins and leaves once for each of them. If it joined only once, the first place that
/// stops providing it would make it leave for all places.
public protocol MailboxContext: AnyObject {
  /// Tells the context that it is provided in a tree with an application, either newly or because
  /// its responder was moved there. Lookups in the tree find the context by then.
  func didJoin(_ mailbox: Mailbox)
  /// Tells the context that it is no longer provided at a place where it joined, or that its
  /// responder left the tree. The function is not called when the responder ends, because the
  /// mailbox is released with the tree.
  func didLeave(_ mailbox: Mailbox)
}
