import Dispatch
import Synchronization

/// A reader that collects the ids of a list's rows on a thread of its own, in one moment (read
/// transaction) of its own.
///
/// The list takes the ids on its own isolation. Everything else is between the thread and a lock.
final class IDCollector: Sendable {
  private struct Collected {
    var keys: [Int64] = []
    /// The number of ids that the list has taken.
    var taken = 0
    /// The outcome of the reader; nil while it is reading.
    var outcome: Result<Void, any Error>?
  }

  private let state = Mutex(Collected())
  private let isStopped = Atomic(false)
  private let pageTakenOrCancelled = DispatchSemaphore(value: 0)

  /// The number of ids that the list gets first, which fill a screen.
  static let firstPage = 64
  /// The number of ids that the list then gets at a time.
  private static let piece = 500

  /// Collects the ids of a query's rows in a store. The closure is called, on the thread, each time
  /// that there is something to take, and at the end even if the collector was cancelled.
  func begin(_ query: Query, in store: any ObjectStore, _ tell: @escaping @Sendable () -> Void) {
    // A thread of its own, because background work that is queued may take minutes.
    BackgroundQueue().add { [self] in
      let outcome = Result { try collect(query, in: store, tell) }
      state.withLock { $0.outcome = outcome }
      tell()
    }
  }

  private func collect(
    _ query: Query, in store: any ObjectStore, _ tell: @Sendable () -> Void
  ) throws {
    guard !isCancelled else { return }
    let reader = try store.makeReader()
    defer { reader.end() }
    var terms = ReadTerms()
    terms.work = self
    terms.isOnce = true
    reader.setTerms(terms)
    let cursor = try reader.cursor(query)
    defer { cursor.close() }
    var keys: [Int64] = []
    var limit = Self.firstPage
    while !isCancelled, let key = try cursor.next() {
      keys.append(key)
      guard keys.count == limit else { continue }
      state.withLock { $0.keys += keys }
      tell()
      if limit == Self.firstPage { letShow() }
      keys.removeAll(keepingCapacity: true)
      limit = Self.piece
    }
    state.withLock { $0.keys += keys }
  }

  /// Waits until the list has taken the first page, and while its tree makes the objects and draws.
  ///
  /// Otherwise the tree may have to wait some milliseconds for the processor that this thread uses
  /// (benchmark `first page`). A tree that nobody runs must not keep the moment.
  private func letShow() {
    for milliseconds in [10, 2] {
      _ = pageTakenOrCancelled.wait(timeout: .now() + .milliseconds(milliseconds))
    }
  }

  /// Whether there is something to take: ids, or the outcome.
  var hasArrived: Bool {
    state.withLock { $0.taken < $0.keys.count || $0.outcome != nil }
  }

  /// Whether the reader has no outcome yet.
  var isReading: Bool { state.withLock { $0.outcome == nil } }

  /// Removes the next ids and returns them, at most `limit`. The outcome is returned with the last
  /// ones, and is nil before that.
  func take(_ limit: Int) -> (keys: ArraySlice<Int64>, outcome: Result<Void, any Error>?) {
    defer { pageTakenOrCancelled.signal() }
    return state.withLock { state in
      let end = state.taken + min(limit, state.keys.count - state.taken)
      defer { state.taken = end }
      return (state.keys[state.taken..<end], end == state.keys.count ? state.outcome : nil)
    }
  }

  /// Makes the reader end early, on any thread.
  func cancel() {
    isStopped.store(true, ordering: .relaxed)
    pageTakenOrCancelled.signal()
  }
}

extension IDCollector: CancellableWork {
  var isCancelled: Bool { isStopped.load(ordering: .relaxed) }
}
