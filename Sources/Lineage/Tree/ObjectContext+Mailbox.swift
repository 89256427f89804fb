import Dispatch
import ObjectGraph
public import ResponderChain
import Synchronization

/// In a tree nobody calls `merge()`: commits of other contexts and processes are taken in by the
/// mailbox's rounds.
extension ObjectContext: MailboxContext {
  /// Rows that one letter takes in, so that a large import never holds the tree for long.
  private static let slice = 200

  /// Has the mailbox take in the commits of others from now on.
  public func didJoin(_ mailbox: Mailbox) {
    let context = Joined(self)
    onNews(for: mailbox) { [weak mailbox] in if let mailbox { context.post(to: mailbox) } }
    // What came before has told nobody.
    context.post(to: mailbox)
  }

  /// Leaves it to the mailboxes it has joined elsewhere, or to `merge()`.
  public func didLeave(_ mailbox: Mailbox) { forgetNews(for: mailbox) }

  /// A context as its tree's mailbox knows it.
  private final class Joined: Sendable {
    /// What only the letters use.
    private let confined: Confined<Merging>
    /// Whether a letter is under way; what comes meanwhile is taken in by that one.
    private let isPosted = Atomic(false)

    /// The state of a context's merges.
    private final class Merging {
      weak let context: ObjectContext?
      /// Whether a merge is under way, and its rest posted.
      var hasRest = false

      init(_ context: ObjectContext) { self.context = context }
    }

    init(_ context: ObjectContext) { confined = Confined(Merging(context)) }

    private var merging: Merging { confined.value }

    /// A disk that could not be read may be well again.
    private func postLater(to mailbox: Mailbox) {
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(200)) {
        [self, weak mailbox] in
        if let mailbox { post(to: mailbox) }
      }
    }

    func post(to mailbox: Mailbox) {
      guard !isPosted.exchange(true, ordering: .acquiringAndReleasing) else { return }
      mailbox.post { [self] _ in
        isPosted.store(false, ordering: .sequentiallyConsistent)
        // The end of a merge that is under way looks for what is newer.
        if !merging.hasRest { takeSlice(mailbox) }
      }
    }

    private func takeSlice(_ mailbox: Mailbox) {
      guard let context = merging.context else { return }
      do {
        if try context.merge(upTo: ObjectContext.slice) { goOn(context, mailbox) }
      } catch {
        context.report(error)
        if (error as? GraphError)?.isAboutOneRow == true {
          goOn(context, mailbox)
        } else if context.hasNews {
          postLater(to: mailbox)
        }
      }
    }

    /// Has what this merge has left of its rows taken in at once; what came meanwhile is another's.
    private func goOn(_ context: ObjectContext, _ mailbox: Mailbox) {
      guard context.hasUnreadRows else {
        if context.hasNews { post(to: mailbox) }
        return
      }
      merging.hasRest = true
      mailbox.postRest { [self] _ in
        merging.hasRest = false
        guard let context = merging.context else { return }
        // A call of `merge()` may have taken the rows in meanwhile.
        if context.hasUnreadRows { takeSlice(mailbox) } else { goOn(context, mailbox) }
      }
    }
  }
}
