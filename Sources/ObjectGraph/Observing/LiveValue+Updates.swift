/// The values of a live value as an asynchronous sequence.
///
/// ```swift
/// for await count in due.updates { badge = count }
/// ```
///
/// The first element is the present value, and each further element the newest one that differs from
/// the element before. While the value cannot be computed, the loop waits. The loop ends when the
/// live value is released or the task is cancelled. The loop does not retain the live value.
///
/// While the loop waits, it merges commits of other contexts and processes, as `merge()` does. So
/// no other code has to merge. After every 200 merged rows, the loop yields to other tasks.
public struct FigureUpdates<Figure: Equatable>: AsyncSequence {
  /// The type of the live value.
  public typealias Element = Figure
  /// The type `Never`, because the sequence throws no errors.
  public typealias Failure = Never

  private weak var live: LiveValue<Figure>?

  init(of live: LiveValue<Figure>) { self.live = live }

  /// Creates an iterator.
  ///
  /// - Complexity: O(1) on average.
  public func makeAsyncIterator() -> Iterator { Iterator(live) }

  /// The state of one loop over the values.
  public struct Iterator: AsyncIteratorProtocol {
    private weak var live: LiveValue<Figure>?
    private let watch: FigureWatch<Figure>?
    private var loop: ContextLoop
    private var told: Figure?

    init(_ live: LiveValue<Figure>?) {
      self.live = live
      loop = ContextLoop(in: live?.context)
      watch = live?.listen(loop.wake)
    }

    /// Waits until the value differs from the last element, and returns the value. Returns nil when
    /// the live value was released or the task is cancelled.
    ///
    /// - Complexity: That of the computation, and of merging the commits of other contexts and
    ///   processes; see ``ObjectContext/merge()``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Figure? {
      let last = told
      let next = await loop.next(isolation: actor) { [weak live] () -> Figure? in
        guard let figure = try? live?.value, figure != last else { return nil }
        return figure
      }
      told = next ?? last
      return next
    }
  }
}

extension LiveValue {
  /// The values as a sequence, beginning with the present one.
  public var updates: FigureUpdates<Figure> { FigureUpdates(of: self) }

  /// Registers a loop that is woken after each operation that may have changed the value.
  fileprivate func listen(_ wake: LoopWake) -> FigureWatch<Figure> {
    let watch = FigureWatch<Figure>(nil, hear: nil, wake: wake)
    add(watch)
    return watch
  }
}
