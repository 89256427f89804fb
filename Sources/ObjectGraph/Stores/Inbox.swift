import Synchronization

/// The inbox of a root context. The store posts news of others' commits to the inbox, and the
/// context takes the news.
package final class Inbox: Sendable {
  private let news = Mutex(News())
  private let isFilled = Atomic(false)
  private let isToWake = Atomic(false)
  private let wakes = Mutex<[Wake]>([])

  private struct Wake {
    weak let owner: (any AnyObject & Sendable)?
    let call: @Sendable () -> Void
  }

  package init() {}

  /// Whether the inbox has no news. Reading this property costs one atomic read.
  package var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Registers a closure that is called after each post, on the thread that posts. The registration
  /// ends when `owner` is released.
  package func onPost(for owner: any AnyObject & Sendable, _ call: @escaping @Sendable () -> Void) {
    wakes.withLock { wakes in
      wakes.removeAll { $0.owner == nil }
      wakes.append(Wake(owner: owner, call: call))
    }
  }

  /// Removes a closure that was registered for an owner. Returns whether any closures are left.
  package func forgetPost(for owner: any AnyObject & Sendable) -> Bool {
    wakes.withLock { wakes in
      if let index = wakes.firstIndex(where: { $0.owner === owner }) { wakes.remove(at: index) }
      wakes.removeAll { $0.owner == nil }
      return !wakes.isEmpty
    }
  }

  package func post(_ other: News) {
    add(other)
    wake()
  }

  /// Adds news without calling the registered closures, so a store may call this function under a
  /// lock. Afterwards, without the lock, the store must call ``wake()``.
  package func add(_ other: News) {
    news.withLock { news in
      news.merge(other)
      isFilled.store(true, ordering: .releasing)
    }
    isToWake.store(true, ordering: .releasing)
  }

  /// Calls the registered closures if news was added since the last call of this function.
  package func wake() {
    if isToWake.exchange(false, ordering: .acquiringAndReleasing) { wakeAll() }
  }

  /// Calls the registered closures, even without news. A list does so when rows have arrived that were
  /// loaded for it.
  func wakeAll() {
    for wake in wakes.withLock({ $0 }) where wake.owner != nil { wake.call() }
  }

  /// Returns all news and removes it from the inbox.
  package func take() -> News {
    news.withLock { news in
      isFilled.store(false, ordering: .releasing)
      defer { news = News() }
      return news
    }
  }
}

/// The rows that others' commits changed.
package struct News: Sendable {
  /// The ids of inserted and updated rows, by the index of their entity in the model.
  package var touched: [Int: Set<Int64>] = [:]
  package var deleted: [Int: Set<Int64>] = [:]
  /// Whether others changed the store and the store cannot tell which rows.
  package var isEverything: Bool

  package init(isEverything: Bool = false) { self.isEverything = isEverything }

  package var isEmpty: Bool { !isEverything && touched.isEmpty && deleted.isEmpty }

  package mutating func merge(_ later: News) {
    isEverything = isEverything || later.isEverything
    for (entity, ids) in later.touched {
      touched[entity, default: []].formUnion(ids)
      deleted[entity]?.subtract(ids)
    }
    for (entity, ids) in later.deleted {
      deleted[entity, default: []].formUnion(ids)
      touched[entity]?.subtract(ids)
    }
  }

  /// Returns the ids of the touched and the deleted rows of an entity.
  func keys(of entity: Int) -> Set<Int64> {
    (touched[entity] ?? []).union(deleted[entity] ?? [])
  }
}
