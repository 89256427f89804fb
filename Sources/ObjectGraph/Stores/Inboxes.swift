import Synchronization

/// The inboxes of a store's contexts.
package final class Inboxes: Sendable {
  private struct WeakInbox {
    weak var inbox: Inbox?
  }

  private struct Members {
    var inboxes: [WeakInbox] = []
    /// The number of elements at which released inboxes are removed from the list.
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

  /// Adds news to all inboxes except the sender's. It calls no closures, so it may be called under
  /// a lock.
  package func post(_ news: @autoclosure () -> News, except sender: Inbox?) {
    let others = living.filter { $0 !== sender }
    guard !others.isEmpty else { return }
    let news = news()
    guard !news.isEmpty else { return }
    for inbox in others { inbox.add(news) }
    isToWake.store(true, ordering: .releasing)
  }

  /// Calls the closures of all inboxes that have news.
  ///
  /// This must not be called under a lock, because the closures may subscribe or commit.
  package func wake() {
    guard isToWake.exchange(false, ordering: .acquiringAndReleasing) else { return }
    for inbox in living { inbox.wake() }
  }
}
