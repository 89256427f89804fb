import Dispatch
import ObjectGraph
public import ResponderChain
import Synchronization

/// A context that is provided in a tree merges the commits of other contexts and processes without
/// a call of `merge()`. It does so when the letters of the tree's mailbox are applied. Then its lists
/// that load elsewhere take their rows, too.
///
/// The context joins the mailbox once for each slot that provides it. Joining only once was
/// rejected, because removing one slot would have detached the context for all slots. Merging at
/// reads was rejected, because it would change objects while a caller uses them.
extension ObjectContext: MailboxContext {
  /// The maximum number of rows that one letter merges. The limit keeps a large import from
  /// blocking the tree for long.
  ///
  /// With 200 rows, the work for each slice, such as beginning a moment, made a tree fall behind an
  /// import (benchmark `background import`).
  private static let slice = 500
  /// The maximum number of rows that one letter takes for a list. They cost more than those of a merge,
  /// most of which have no object.
  private static let loadedSlice = 100

  /// Registers the context with a mailbox. The mailbox's letters then merge the commits of other
  /// contexts and processes.
  ///
  /// - Complexity: O(*m*) for *m* mailboxes and waiting loops that are registered with the root
  ///   context.
  public func didJoin(_ mailbox: Mailbox) {
    let context = Joined(self)
    onNews(for: mailbox) { [weak mailbox] in if let mailbox { context.post(to: mailbox) } }
    // Commits before the registration have posted no letter, so a letter is posted here.
    context.post(to: mailbox)
  }

  /// Detaches the context from a mailbox. Commits are then merged by the other mailboxes that the
  /// context has joined, or by calls of `merge()`.
  ///
  /// - Complexity: O(*m*) for *m* mailboxes and waiting loops that are registered with the root
  ///   context.
  public func didLeave(_ mailbox: Mailbox) {
    forgetNews(for: mailbox)
    // A task may wait until the lists of the tree are complete.
    if !loadingLists.isEmpty { mailbox.post { _ in } }
  }

  /// The loading of lists in the contexts of this root, in words.
  public var workUnderWay: [String] { loadingLists }

  /// The registration of a context with one mailbox.
  private final class Joined: Sendable {
    /// The state of the merges. It is used only while a letter is applied.
    private let confined: Confined<Merging>
    /// Whether a letter is posted and not yet applied. This letter also merges the commits that are
    /// made before it is applied.
    private let isPosted = Atomic(false)

    /// The state of the merges of one context.
    private final class Merging {
      weak let context: ObjectContext?
      /// Whether a letter for the next slice of the same merge is posted and not yet applied.
      var hasRest = false

      init(_ context: ObjectContext) { self.context = context }
    }

    init(_ context: ObjectContext) { confined = Confined(Merging(context)) }

    private var merging: Merging { confined.value }

    /// Posts a letter after 200 milliseconds. This function is called after a failed read, because
    /// the disk may be readable again by then.
    private func postLater(to mailbox: Mailbox) {
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(200)) {
        [self, weak mailbox] in
        if let mailbox { post(to: mailbox) }
      }
    }

    /// Posts a letter that merges the commits of other contexts and processes, unless such a letter
    /// is posted already.
    func post(to mailbox: Mailbox) {
      guard !isPosted.exchange(true, ordering: .acquiringAndReleasing) else { return }
      mailbox.post { [self] _ in
        isPosted.store(false, ordering: .sequentiallyConsistent)
        takeLoadedRows(mailbox)
        // If a merge has a letter for its next slice, that merge also merges the newer commits at
        // its end.
        if !merging.hasRest { takeSlice(mailbox) }
      }
    }

    /// Takes a slice of the rows that were loaded for a list. A further one has another letter, and so
    /// a turn of its own.
    private func takeLoadedRows(_ mailbox: Mailbox) {
      guard let context = merging.context else { return }
      context.takeLoadedRows(upTo: ObjectContext.loadedSlice)
      if context.hasLoadedRows { post(to: mailbox) }
    }

    private func takeSlice(_ mailbox: Mailbox) {
      guard let context = merging.context else { return }
      do {
        if try context.merge(upTo: ObjectContext.slice, asksStore: false) {
          postNextSlice(context, mailbox)
        }
      } catch {
        context.report(error)
        if (error as? GraphError)?.isAboutOneRow == true {
          postNextSlice(context, mailbox)
        } else if context.hasNews {
          postLater(to: mailbox)
        }
      }
    }

    /// Posts a letter for the remaining rows of the merge. Rows that were committed after the merge
    /// began get another letter later, so that a call of `drain()` ends.
    private func postNextSlice(_ context: ObjectContext, _ mailbox: Mailbox) {
      guard context.hasUnreadRows else {
        if context.hasNews { post(to: mailbox) }
        return
      }
      merging.hasRest = true
      mailbox.postRest { [self] _ in
        merging.hasRest = false
        guard let context = merging.context else { return }
        // A call of `merge()` may have merged the rows meanwhile.
        if context.hasUnreadRows { takeSlice(mailbox) } else { postNextSlice(context, mailbox) }
      }
    }
  }
}
