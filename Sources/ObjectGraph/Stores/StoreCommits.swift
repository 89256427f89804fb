public import Foundation

/// The commits to a store as an asynchronous sequence, for example for a synchronisation or an index
/// that a program keeps elsewhere.
///
/// ```swift
/// for await commit in store.commits {
///   for card in commit.saved(Card.self) { outbox.insert(card) }
/// }
/// ```
///
/// Each element says what has changed in the store since the previous element or, for the first,
/// since the loop began. It has the commits of all contexts, of background work, and of other
/// processes. The loop hears of a commit when it has succeeded, so it can neither delay nor fail one.
/// It ends with its task. It can run in any isolation.
public struct StoreCommits: AsyncSequence, Sendable {
  /// The changes since the previous element.
  public typealias Element = StoreCommit
  /// The type `Never`, because the sequence throws no errors.
  public typealias Failure = Never

  private let store: any ObjectStore

  package init(of store: any ObjectStore) { self.store = store }

  /// Creates an iterator, which returns the changes that are committed after this call.
  ///
  /// - Complexity: O(1). While the iterator lives, the store looks for commits of other processes.
  public func makeAsyncIterator() -> Iterator { Iterator(store) }

  /// The state of one loop over the commits.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: any ObjectStore
    private let inbox = Inbox()
    private var loop = LoopWake.make()
    /// The token by which the store posts commits of other processes.
    private let telling: AnyObject?

    init(_ store: any ObjectStore) {
      self.store = store
      store.subscribe(inbox)
      inbox.onPost(for: loop.wake) { [weak wake = loop.wake] in wake?.call() }
      telling = store.observeForeignCommits()
    }

    /// Waits until something was committed, and returns what has changed. Returns nil when the task
    /// is cancelled.
    ///
    /// - Complexity: Linear in the number of changed rows.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> StoreCommit? {
      while !Task.isCancelled {
        if !inbox.isEmpty {
          let news = inbox.take()
          if !news.isEmpty { return StoreCommit(date: store.now, news, store.model) }
        }
        guard await loop.wakes.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }
}

/// The changes of a store by one or several commits.
public struct StoreCommit: Sendable {
  /// The date at which the changes were told.
  public let date: Date
  private let news: News
  private let model: Model

  init(date: Date, _ news: News, _ model: Model) {
    (self.date, self.news, self.model) = (date, news, model)
  }

  /// Whether anything may have changed, because the store cannot tell what others have changed. The
  /// sets then have only a part of it.
  public var isEverything: Bool { news.isEverything }

  /// Returns the ids of the inserted and updated objects of an entity, without those that were
  /// deleted afterwards.
  public func saved<Value: Entity>(_: Value.Type) -> Set<Ref<Value>> {
    ids(news.touched)
  }

  /// Returns the ids of the deleted objects of an entity. An object that was inserted and deleted
  /// since the previous element may be among them.
  public func deleted<Value: Entity>(_: Value.Type) -> Set<Ref<Value>> {
    ids(news.deleted)
  }

  private func ids<Value: Entity>(_ rows: [Int: Set<Int64>]) -> Set<Ref<Value>> {
    guard let entity = model.index(of: Value.self), let keys = rows[entity] else { return [] }
    return Set(keys.map { Ref(key: $0) })
  }
}
