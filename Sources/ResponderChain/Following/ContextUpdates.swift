extension Responder {
  /// Returns a sequence of the values and states that the responder finds under a key, now and
  /// after each change.
  ///
  /// A loop that is slower than the changes gets only the newest element, and skips older ones. The
  /// loop does not retain the responder. It ends when the responder ends, or when the loop's task
  /// is cancelled.
  ///
  /// While the loop waits it applies the letters of the mailbox, as
  /// ``context(whenReady:within:clock:)`` does. So it also works if no other task runs the
  /// application.
  public final func updates<K: ContextKey>(of key: K.Type) -> ContextUpdates<K> {
    ContextUpdates(responder: self)
  }
}

/// A sequence of the values and states of one context at one responder. Each iterator has an
/// observation of its own.
public struct ContextUpdates<K: ContextKey>: AsyncSequence {
  /// A value or state that the responder found.
  public typealias Element = Resolution<K.Value>

  fileprivate weak let responder: Responder?

  /// Returns an iterator, which observes the context until the iterator is released.
  ///
  /// - Complexity: That of ``Responding/observe(_:_:)``.
  public func makeAsyncIterator() -> Iterator {
    let latest = Latest<Resolution<K.Value>>()
    let end = EndOfUpdates(latest.sleeper)
    let observation = responder?.observe(K.self) { [weak latest] _, resolution in
      withExtendedLifetime(end) { latest?.newest = resolution }
      latest?.sleeper.wake()
    }
    return Iterator(responder: responder, latest: latest, observation: observation)
  }

  /// An iterator that returns the newest element, and no element twice. It skips older elements
  /// that were not read.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate weak let responder: Responder?
    fileprivate let latest: Latest<Resolution<K.Value>>
    fileprivate let observation: ContextObservation?

    /// Waits until there is an element that was not returned yet, and returns the newest element.
    /// Returns `nil` when the responder has ended or the task is cancelled.
    ///
    /// - Complexity: O(1) if an element is ready. Otherwise that of the letters that are applied,
    ///   and of registering an observer each time the task goes to sleep.
    public mutating func next() async -> Resolution<K.Value>? {
      await next(isolation: #isolation)
    }

    /// Waits until there is an element that was not returned yet, and returns the newest element.
    /// Returns `nil` when the responder has ended or the task is cancelled.
    ///
    /// The isolation must be that of the tree. A `for await` loop calls this function.
    ///
    /// - Complexity: O(1) if an element is ready. Otherwise that of the letters that are applied,
    ///   and of registering an observer each time the task goes to sleep.
    public mutating func next(isolation: isolated (any Actor)?) async -> Resolution<K.Value>? {
      while !Task.isCancelled {
        if let newest = latest.newest {
          latest.newest = nil
          return newest
        }
        if observation == nil || latest.sleeper.isOverdue { return nil }
        switch nextStep() {
        case .sleep(let waiting, let mailbox):
          await latest.sleeper.sleep()
          mailbox?.remove(latest.sleeper)
          waiting.end()
        case .letOthersWork: await Task.yield()
        case .end: return nil
        }
      }
      return nil
    }

    private enum UpdateStep {
      /// The iterator sleeps. It is registered to be woken by changes, and by letters of the
      /// mailbox if there is one.
      case sleep(WaitRegistration, Mailbox?)
      /// The iterator has applied letters, so it lets other tasks on the isolation run first.
      case letOthersWork
      case end
    }

    /// Applies the letters that have arrived. If there are none, registers to be woken.
    ///
    /// This is a separate function, so that the responder is not retained while the loop waits.
    private func nextStep() -> UpdateStep {
      guard let responder else { return .end }
      let mailbox = responder.letters(for: KeyID(K.self))
      guard mailbox?.add(latest.sleeper) ?? true else {
        mailbox?.applyWhileWaiting(at: responder)
        return .letOthersWork
      }
      // The observer is called only when the answer differs. This registration also wakes the loop
      // when it needs another mailbox. The responder may have moved, or another pending slot may be
      // the nearest.
      let waiting = WaitRegistration(erased(K.self), latest.sleeper)
      waiting.register(at: responder.core)
      return .sleep(waiting, mailbox)
    }
  }
}

/// The newest element. An observer sets it, and an iterator reads and removes it.
private final class Latest<Element> {
  var newest: Element?
  let sleeper = TaskSleeper()
}

/// An object that only an observer's closure retains. When it is released with the closure, it
/// wakes the iterator.
private final class EndOfUpdates: Sendable {
  private let sleeper: TaskSleeper

  init(_ sleeper: TaskSleeper) {
    self.sleeper = sleeper
  }

  deinit { sleeper.expire() }
}
