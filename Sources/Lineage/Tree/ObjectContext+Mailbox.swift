import Dispatch
import ObjectGraph
public import ResponderChain
import Synchronization

/// A context in a tree merges the commits of other contexts and processes by itself, in the rounds
/// of the tree's mailbox.
///
/// It joins the mailbox once for each place that provides it. One mailbox for the whole context was
/// rejected, because the first place to release the context would have detached it everywhere.
/// Merging at reads was rejected, because it would change objects while a caller uses them.
extension ObjectContext: MailboxContext {
  /// The number of rows that one letter merges, so that a large import never holds the tree for
  /// long.
  private static let slice = 200

  /// Registers the context with a mailbox, which then merges the commits of others.
  public func didJoin(_ mailbox: Mailbox) {
    let context = Joined(self)
    onNews(for: mailbox) { [weak mailbox] in if let mailbox { context.post(to: mailbox) } }
    // Earlier commits have posted no letter, so one is posted here.
    context.post(to: mailbox)
  }

  /// Detaches the context from a mailbox. Commits are then merged by other mailboxes that it has
  /// joined, or by `merge()`.
  public func didLeave(_ mailbox: Mailbox) { forgetNews(for: mailbox) }

  /// The registration of a context with one mailbox.
  private final class Joined: Sendable {
    /// The state, which is used only while a letter is applied.
    private let confined: Confined<Merging>
    /// Whether a letter is posted and not yet applied. That letter also merges commits that come
    /// meanwhile.
    private let isPosted = Atomic(false)

    /// The state of a context's merges.
    private final class Merging {
      weak let context: ObjectContext?
      /// Whether a letter that merges the next slice of rows is posted and not yet applied.
      var hasRest = false

      init(_ context: ObjectContext) { self.context = context }
    }

    init(_ context: ObjectContext) { confined = Confined(Merging(context)) }

    private var merging: Merging { confined.value }

    /// Posts a letter after 200 milliseconds, because a disk that could not be read may be readable
    /// again.
    private func postLater(to mailbox: Mailbox) {
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(200)) {
        [self, weak mailbox] in
        if let mailbox { post(to: mailbox) }
      }
    }

    /// Posts a letter that merges, unless one is posted already.
    func post(to mailbox: Mailbox) {
      guard !isPosted.exchange(true, ordering: .acquiringAndReleasing) else { return }
      mailbox.post { [self] _ in
        isPosted.store(false, ordering: .sequentiallyConsistent)
        // At its end, a merge that is under way merges newer commits, too.
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

    /// Posts a letter for the rest of the rows that the merge began with. Rows that were committed
    /// meanwhile get a letter of their own, so that one call of `drain()` ends.
    private func goOn(_ context: ObjectContext, _ mailbox: Mailbox) {
      guard context.hasUnreadRows else {
        if context.hasNews { post(to: mailbox) }
        return
      }
      merging.hasRest = true
      mailbox.postRest { [self] _ in
        merging.hasRest = false
        guard let context = merging.context else { return }
        // A call of `merge()` may have merged the rows meanwhile.
        if context.hasUnreadRows { takeSlice(mailbox) } else { goOn(context, mailbox) }
      }
    }
  }
}
