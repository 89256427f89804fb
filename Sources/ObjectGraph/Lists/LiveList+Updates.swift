/// The changes of a live list, for `for await`.
///
/// ```swift
/// for await changes in list.updates {
///   print(changes.insertions.count, "new of", list.count)
/// }
/// ```
///
/// Each element is what has changed since the one before it was received, or since the loop began,
/// however many operations that were: the list's rows are exactly what it leads to, until the loop
/// waits again. The loop ends with the list, which it does not keep, and when its task is cancelled.
public struct ListUpdates<Value: Entity>: AsyncSequence {
  /// What has changed since the one before.
  public typealias Element = ListChanges
  /// It ends, and does not fail.
  public typealias Failure = Never

  private weak var list: LiveList<Value>?

  init(of list: LiveList<Value>) { self.list = list }

  /// Begins: what changes from now on is told.
  public func makeAsyncIterator() -> Iterator { Iterator(list) }

  /// One loop's place in the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private weak var list: LiveList<Value>?
    private let ledger: ListLedger<Value>
    private var wakes: AsyncStream<Void>.Iterator

    init(_ list: LiveList<Value>?) {
      let (stream, wake) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      self.list = list
      ledger = ListLedger(.loop(wake), knowsStale: list?.state.isStale ?? false)
      wakes = stream.makeAsyncIterator()
      if let list {
        list.ledgers.append(LiveList.WeakLedger(ledger: ledger))
      } else {
        wake.finish()
      }
    }

    /// Waits until something has changed; nil when the list has ended or the task was cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ListChanges? {
      while !Task.isCancelled {
        if let changes = changes() { return changes }
        guard await wakes.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }

    /// What has changed; a function of its own, so that the list is not kept while waiting.
    private func changes() -> ListChanges? {
      guard let list else { return nil }
      list.absorb()
      return ledger.take(list.rows, isStale: list.problem != nil)
    }
  }
}

extension LiveList {
  /// The changes from when a loop over them begins.
  public final var updates: ListUpdates<Value> { ListUpdates(of: self) }
}
