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
/// While the loop waits, it merges commits of other contexts and processes, as `merge()` does, and takes
/// rows that were loaded elsewhere. So no other code has to merge. After every 200 rows, the loop yields
/// to other tasks.
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
    private let ledger: ListLedger<Value>
    private var loop: ContextLoop

    init(_ list: LiveList<Value>?) {
      self.list = list
      loop = ContextLoop(in: list?.context)
      list?.absorb()
      ledger = ListLedger(
        .loop(loop.wake), knowing: list?.standing ?? ListStanding(), list?.visits ?? ListVisits())
      list?.ledgers.append(LiveList.WeakLedger(ledger: ledger))
    }

    /// Waits until the list has changed, and returns the changes. Returns nil when the list was
    /// released or the task is cancelled.
    ///
    /// - Complexity: That of applying the changes to the list, and of merging the commits of other
    ///   contexts and processes; see ``LiveList`` and ``ObjectContext/merge()``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ListChanges? {
      await loop.next(isolation: actor) { [weak list, ledger] in
        Self.changes(of: list, for: ledger)
      }
    }

    /// Returns the changes since the previous element without waiting; nil if there are none.
    package func changes() -> ListChanges? { Self.changes(of: list, for: ledger) }

    private static func changes(
      of list: LiveList<Value>?, for ledger: ListLedger<Value>
    ) -> ListChanges? {
      guard !Task.isCancelled, let list else { return nil }
      list.absorb()
      return ledger.take(list.rows, list.standing)
    }
  }
}

extension LiveList {
  /// The changes of the list as a sequence. A loop gets the changes since the loop began.
  public final var updates: ListUpdates<Value> { ListUpdates(of: self) }
}
