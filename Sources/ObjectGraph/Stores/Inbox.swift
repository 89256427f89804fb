import Synchronization

/// The news of commits of others that a context has not taken yet.
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

  /// Whether there is no news. The check costs one atomic read.
  package var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Registers a closure to be called after each post, on the thread that posts. The registration
  /// ends when `owner` is released.
  package func onPost(for owner: any AnyObject & Sendable, _ call: @escaping @Sendable () -> Void) {
    wakes.withLock { wakes in
      wakes.removeAll { $0.owner == nil }
      wakes.append(Wake(owner: owner, call: call))
    }
  }

  /// Removes a closure that was registered for an owner. Returns false if no closures are left.
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

  /// Posts news without calling closures, so that a store may post under a lock. The store must
  /// call ``wake()`` afterwards.
  package func add(_ other: News) {
    news.withLock { news in
      news.merge(other)
      isFilled.store(true, ordering: .releasing)
    }
    isToWake.store(true, ordering: .releasing)
  }

  /// Calls the closures if news was posted since the last call of this function.
  package func wake() {
    guard isToWake.exchange(false, ordering: .acquiringAndReleasing) else { return }
    for wake in wakes.withLock({ $0 }) where wake.owner != nil { wake.call() }
  }

  /// Returns all news and removes it.
  package func take() -> News {
    news.withLock { news in
      isFilled.store(false, ordering: .releasing)
      defer { news = News() }
      return news
    }
  }
}

/// The rows that commits of others changed.
package struct News: Sendable {
  /// The ids of inserted and updated rows, by the index of their entity in the model.
  package var touched: [Int: Set<Int64>] = [:]
  package var deleted: [Int: Set<Int64>] = [:]
  /// Whether others changed the store without telling which rows.
  package var isEverything = false

  package init() {}

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

  /// Returns the ids of the rows of an entity that were touched or deleted.
  func keys(of entity: Int) -> Set<Int64> {
    (touched[entity] ?? []).union(deleted[entity] ?? [])
  }
}
