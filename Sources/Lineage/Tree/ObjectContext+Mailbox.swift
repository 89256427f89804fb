import ObjectGraph
public import ResponderChain

/// In a tree nobody calls `merge()`: commits of other contexts and processes are taken in by the
/// mailbox's rounds.
extension ObjectContext: MailboxContext {
  /// Rows that one letter takes in, so that a large import never holds the tree for long.
  private static let slice = 200

  /// Has the mailbox take in the commits of others from now on.
  public func didJoin(_ mailbox: Mailbox?) {
    guard let mailbox else { return onNews(nil) }
    let context = Joined(context: self)
    onNews { context.post(to: mailbox) }
    // What came before has told nobody.
    context.post(to: mailbox)
  }

  /// A context as its tree's mailbox knows it.
  private struct Joined: @unchecked Sendable {
    // Protected by the mailbox: only the isolation of the tree that the context is in applies its
    // letters, and loading a weak reference is safe on any thread.
    weak let context: ObjectContext?

    func post(to mailbox: Mailbox) {
      mailbox.post { _ in
        guard let context else { return }
        do {
          if try context.merge(upTo: ObjectContext.slice) { post(to: mailbox) }
        } catch {
          context.report(error)
        }
      }
    }
  }
}
