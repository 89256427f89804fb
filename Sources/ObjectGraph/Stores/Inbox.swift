import Synchronization

/// Where the commits of others wait for a context.
package final class Inbox: Sendable {
  private let news = Mutex(News())
  private let isFilled = Atomic(false)
  private let wake: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  package init() {}

  /// Whether anything waits; one atomic read.
  package var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Called on whatever thread posts, after each post.
  package func onPost(_ closure: (@Sendable () -> Void)?) {
    wake.withLock { $0 = closure }
  }

  package func post(_ other: News) {
    news.withLock { news in
      news.merge(other)
      isFilled.store(true, ordering: .releasing)
    }
    let wake = wake.withLock { $0 }
    wake?()
  }

  /// All that waits, taken out.
  package func take() -> News {
    news.withLock { news in
      isFilled.store(false, ordering: .releasing)
      defer { news = News() }
      return news
    }
  }
}

/// Which rows commits of others touched.
package struct News: Sendable {
  /// For each entity's place in the model, the ids.
  package var touched: [Int: Set<Int64>] = [:]
  package var deleted: [Int: Set<Int64>] = [:]
  /// Somebody changed the file without saying what.
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
}
