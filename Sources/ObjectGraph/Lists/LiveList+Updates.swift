/// The changes of a live list as an asynchronous sequence.
///
/// ```swift
/// for await changes in list.updates {
///   print(changes.insertions.count, "new of", list.count)
/// }
/// ```
///
/// Each element has all changes since the previous element or, for the first, since the loop began.
/// If they are applied to the rows that the list had at that time, the result is exactly the
/// current rows. The loop ends when the list is released or the task is cancelled. The loop does
/// not retain the list.
///
/// While the loop waits, it merges commits of other contexts and processes, as `merge()` does. So
/// no other code has to merge. After every 200 merged rows, the loop yields to other tasks.
public struct ListUpdates<Value: Entity>: AsyncSequence {
  /// The changes since the previous element.
  public typealias Element = ListChanges
  /// The type `Never`, because the sequence throws no errors.
  public typealias Failure = Never

  private weak var list: LiveList<Value>?

  init(of list: LiveList<Value>) { self.list = list }

  /// Creates an iterator, which returns the changes that happen after this call.
  ///
  /// - Complexity: That of `LiveList.observe(_:)`.
  public func makeAsyncIterator() -> Iterator { Iterator(list) }

  /// The state of one loop over the list's changes.
  public struct Iterator: AsyncIteratorProtocol {
    private weak var list: LiveList<Value>?
    private weak var context: ObjectContext?
    private let ledger: ListLedger<Value>
    private let wake: ListWake
    private var wakes: AsyncStream<Void>.Iterator

    init(_ list: LiveList<Value>?) {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      self.list = list
      context = list?.context.root
      wake = ListWake(continuation)
      ledger = ListLedger(
        .loop(wake), knowsStale: list?.state.isStale ?? false, list?.visits ?? ListVisits())
      wakes = stream.makeAsyncIterator()
      if let list {
        list.ledgers.append(LiveList.WeakLedger(ledger: ledger))
      } else {
        wake.end()
      }
    }

    /// Waits until the list has changed, and returns the changes. Returns nil when the list was
    /// released or the task is cancelled.
    ///
    /// - Complexity: That of applying the changes to the list, and of merging the commits of other
    ///   contexts and processes; see ``LiveList`` and ``ObjectContext/merge()``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ListChanges? {
      if let changes = changes() { return changes }
      listen()
      defer { context?.forgetNews(for: wake) }
      while !Task.isCancelled {
        if takeIn() {
          if let changes = changes() { return changes }
          await Task.yield()
          continue
        }
        guard await wakes.next(isolation: actor) != nil else { return nil }
        if let changes = changes() { return changes }
      }
      return nil
    }

    /// Returns the changes since the previous element without waiting; nil if there are none.
    ///
    /// This is a separate function, so that `next` does not retain the list while it waits.
    package func changes() -> ListChanges? {
      guard !Task.isCancelled, let list else { return nil }
      list.absorb()
      return ledger.take(list.rows, isStale: list.problem != nil)
    }

    /// Registers the loop, so that commits of other contexts and processes wake the loop.
    private func listen() {
      context?.onNews(for: wake) { [weak wake] in wake?.call() }
    }

    /// Merges at most 200 rows that other contexts and processes have committed. Returns false if
    /// there were no such rows, or if reading failed. If only one row was unreadable, returns true.
    private func takeIn() -> Bool {
      guard let context, context.hasNews else { return false }
      do {
        try context.merge(upTo: 200, asksStore: false)
        return true
      } catch {
        context.report(error)
        if (error as? GraphError)?.isAboutOneRow == true { return true }
        wake.callLater()
        return false
      }
    }
  }
}

/// The handle with which any thread can wake a loop over a list's changes.
final class ListWake: Sendable {
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  func call() { continuation.yield() }

  /// Wakes the loop after 200 milliseconds, because a disk that could not be read may work again
  /// then.
  func callLater() {
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(200))
      self?.call()
    }
  }

  func end() { continuation.finish() }
}

extension LiveList {
  /// The changes of the list as a sequence. A loop gets the changes since the loop began.
  public final var updates: ListUpdates<Value> { ListUpdates(of: self) }
}
