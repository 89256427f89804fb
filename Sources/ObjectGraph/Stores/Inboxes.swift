import Synchronization

/// The inboxes of a store's contexts.
package final class Inboxes: Sendable {
  private struct WeakInbox {
    weak var inbox: Inbox?
  }

  private struct Members {
    var inboxes: [WeakInbox] = []
    /// The size of ``inboxes`` at which released inboxes are removed from it.
    var limit = 16
  }

  private let members = Mutex(Members())
  private let isToWake = Atomic(false)

  package init() {}

  /// Adds an inbox without retaining it.
  package func add(_ inbox: Inbox) {
    members.withLock { members in
      if members.inboxes.count >= members.limit {
        members.inboxes.removeAll { $0.inbox == nil }
        members.limit = max(16, members.inboxes.count * 2)
      }
      members.inboxes.append(WeakInbox(inbox: inbox))
    }
  }

  private var living: [Inbox] { members.withLock { $0.inboxes.compactMap(\.inbox) } }

  /// Adds news to all inboxes except the inbox of the sender. A store may call this function under
  /// a lock, because it calls none of the closures that are registered in the inboxes.
  package func post(_ news: @autoclosure () -> News, except sender: Inbox?) {
    let others = living.filter { $0 !== sender }
    guard !others.isEmpty else { return }
    let news = news()
    guard !news.isEmpty else { return }
    for inbox in others { inbox.add(news) }
    isToWake.store(true, ordering: .releasing)
  }

  /// Calls the closures that are registered in inboxes with news.
  ///
  /// A store must not call this function under a lock, because the closures may subscribe or
  /// commit.
  package func wake() {
    guard isToWake.exchange(false, ordering: .acquiringAndReleasing) else { return }
    for inbox in living { inbox.wake() }
  }
}
