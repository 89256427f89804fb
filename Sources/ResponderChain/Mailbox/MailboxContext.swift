/// A context that must react to changes on other isolations, such as commits to a database.
///
/// While the context is provided in a tree, it can post these changes to the tree's mailbox. They
/// are then applied on the tree's own isolation. A context that is provided at several places, or
/// in several trees, joins and leaves once for each place. If it joined only once, it would leave
/// for all places as soon as one place stopped providing it.
public protocol MailboxContext: AnyObject {
  /// Tells the context that it is provided in a tree with an application, either newly or because
  /// its responder was moved there. Lookups in the tree already find the context.
  func didJoin(_ mailbox: Mailbox)
  /// Tells the context that it is no longer provided at a place where it joined, or that its
  /// responder left the tree. The function is not called when the responder ends, because the
  /// mailbox is released with the tree.
  func didLeave(_ mailbox: Mailbox)
  /// The work that the context has begun elsewhere and that will post a letter at its end, in words.
  /// ``Application/settle()`` waits for it. By default, there is none.
  var workUnderWay: [String] { get }
}

extension MailboxContext {
  /// No work.
  public var workUnderWay: [String] { [] }
}
