extension Responder {
  /// What the responder finds under a key, now and after each change, as a sequence.
  ///
  /// Only the newest is kept: who is slow skips what is outdated. It ends with the responder.
  public final func updates<K: ContextKey>(of key: K.Type) -> ContextUpdates<K> {
    ContextUpdates(responder: self)
  }
}

/// The states of one context at one responder. Each iteration observes for itself.
public struct ContextUpdates<K: ContextKey>: AsyncSequence {
  /// What the responder found.
  public typealias Element = Resolution<K.Value>

  fileprivate weak let responder: Responder?

  /// Starts to observe.
  public func makeAsyncIterator() -> Iterator {
    let latest = Latest<Resolution<K.Value>>()
    let end = EndOfUpdates(latest.waiter)
    let observation = responder?.observe(K.self) { [weak latest] _, resolution in
      withExtendedLifetime(end) { latest?.newest = resolution }
      latest?.waiter.wake()
    }
    return Iterator(latest: latest, observation: observation)
  }

  /// Hands out the newest state once.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let latest: Latest<Resolution<K.Value>>
    fileprivate let observation: ContextObservation?

    /// The newest state, as soon as there has been another; `nil` when the responder is gone or the
    /// task was cancelled.
    public mutating func next() async -> Resolution<K.Value>? {
      await next(isolation: #isolation)
    }

    /// The same, on the isolation of the tree: a loop calls this one.
    public mutating func next(isolation: isolated (any Actor)?) async -> Resolution<K.Value>? {
      while !Task.isCancelled {
        if let newest = latest.newest {
          latest.newest = nil
          return newest
        }
        if observation == nil || latest.waiter.isOverdue { return nil }
        await latest.waiter.sleep()
      }
      return nil
    }
  }
}

/// The newest element between an observer and an iterator.
private final class Latest<Element> {
  var newest: Element?
  let waiter = Waiter()
}

/// Wakes the iterator when the observer that holds it is gone.
private final class EndOfUpdates: Sendable {
  private let waiter: Waiter

  init(_ waiter: Waiter) {
    self.waiter = waiter
  }

  deinit { waiter.expire() }
}
