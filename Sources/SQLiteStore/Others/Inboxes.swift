import ObjectGraph
import Synchronization

/// Those who want to hear of commits.
final class Inboxes: Sendable {
  private struct WeakInbox {
    weak var inbox: Inbox?
  }

  private let members = Mutex<[WeakInbox]>([])

  func add(_ inbox: Inbox) {
    members.withLock { members in
      members.removeAll { $0.inbox == nil }
      members.append(WeakInbox(inbox: inbox))
    }
  }

  /// Posts outside the lock: whoever is woken may subscribe or commit.
  func post(_ news: @autoclosure () throws -> News, except sender: Inbox?) rethrows {
    let others = members.withLock { members -> [Inbox] in
      var others: [Inbox] = []
      for member in members {
        if let inbox = member.inbox, inbox !== sender { others.append(inbox) }
      }
      return others
    }
    guard !others.isEmpty else { return }
    let news = try news()
    guard !news.isEmpty else { return }
    for inbox in others { inbox.post(news) }
  }
}
