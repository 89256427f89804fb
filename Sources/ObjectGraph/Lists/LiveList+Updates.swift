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
///
/// While the loop waits it takes in what other contexts and processes commit, as `merge()` does, so
/// it also works where nobody runs the application. After each 200 rows other tasks get their turn.
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

    /// Waits until something has changed; nil when the list has ended or the task was cancelled.
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

    /// Returns what has changed, if anything has, without waiting.
    ///
    /// A function of its own, so that the list is not kept while the loop waits.
    package func changes() -> ListChanges? {
      guard !Task.isCancelled, let list else { return nil }
      list.absorb()
      return ledger.take(list.rows, isStale: list.problem != nil)
    }

    /// Has the loop woken by commits of others.
    private func listen() {
      context?.onNews(for: wake) { [weak wake] in wake?.call() }
    }

    /// Takes in a slice of what others have committed; false if there was nothing, or it fails.
    private func takeIn() -> Bool {
      guard let context, context.hasNews else { return false }
      do {
        try context.merge(upTo: 200)
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

/// Wakes a loop over a list's changes, from any thread.
final class ListWake: Sendable {
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  func call() { continuation.yield() }

  /// Wakes the loop when a disk that could not be read may be well again.
  func callLater() {
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(200))
      self?.call()
    }
  }

  func end() { continuation.finish() }
}

extension LiveList {
  /// The changes from when a loop over them begins.
  public final var updates: ListUpdates<Value> { ListUpdates(of: self) }
}
