/// The values of an object as an asynchronous sequence.
///
/// ```swift
/// for await card in card.updates { label = card?.question ?? "deleted" }
/// ```
///
/// The first element is the present value, and each further element the newest one. Values between
/// two elements are left out. While the object is deleted, the element is nil; the loop goes on,
/// because an undo can bring the object back. The loop ends when the object's context ends or the
/// task is cancelled. It retains the object, but not the context.
///
/// While the loop waits, it merges commits of other contexts and processes, as `merge()` does. So
/// no other code has to merge. After every 200 merged rows, the loop yields to other tasks.
public struct ObjectUpdates<Value: Entity>: AsyncSequence {
  /// The value of the object; nil while it is deleted.
  public typealias Element = Value?
  /// The type `Never`, because the sequence throws no errors.
  public typealias Failure = Never

  let object: Object<Value>

  /// Creates an iterator.
  ///
  /// - Complexity: O(1) on average.
  public func makeAsyncIterator() -> Iterator { Iterator(object) }

  /// The state of one loop over the object's values.
  public struct Iterator: AsyncIteratorProtocol {
    private let object: Object<Value>
    private let watch: LoopWatch?
    private var loop: ContextLoop
    /// The last element.
    private var told: (value: Value, isDeleted: Bool)?

    init(_ object: Object<Value>) {
      self.object = object
      if let (row, follower) = object.follower() {
        loop = ContextLoop(in: follower.context)
        let watch = LoopWatch(follower, loop.wake)
        follower.add(watch, of: row)
        follower.context?.endWithContext(loop.wake)
        self.watch = watch
      } else {
        loop = ContextLoop(in: nil)
        watch = nil
      }
    }

    /// Waits until the object differs from the last element, and returns its value. Returns nil when
    /// the context has ended or the task is cancelled.
    ///
    /// - Complexity: That of merging the commits of other contexts and processes; see
    ///   ``ObjectContext/merge()``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Value?? {
      guard watch != nil else { return nil }
      var last = told
      defer { told = last }
      return await loop.next(isolation: actor) { [object] in
        let now = object.seen
        if var before = last {
          let isSame = object.difference(from: &before.value).isEmpty
          if before.isDeleted == now.isDeleted, now.isDeleted || isSame { return nil }
        }
        last = now
        return now.isDeleted ? .some(nil) : now.value
      }
    }
  }
}

/// A loop over an object's values.
private final class LoopWatch: ObjectWatch {
  private let wake: LoopWake

  init(_ follower: ObjectFollower, _ wake: LoopWake) {
    self.wake = wake
    super.init(follower)
  }

  override func tell() { wake.call() }
}

extension Object {
  /// The values of this object as a sequence, beginning with the present value. The object must be
  /// in a context; otherwise an error is reported, and the sequence is empty.
  public var updates: ObjectUpdates<Value> { ObjectUpdates(object: self) }
}
