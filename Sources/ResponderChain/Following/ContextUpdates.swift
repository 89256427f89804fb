extension Responder {
  /// Returns what the responder finds under a key, now and after each change, as a sequence.
  ///
  /// Only the newest is kept: a slow loop skips what is outdated. The loop ends with the responder,
  /// which it does not keep, and when its task is cancelled.
  ///
  /// While the loop waits it applies what arrives in the mailbox, as
  /// ``context(whenReady:within:clock:)`` does. So it also works where nobody runs the application.
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
    let end = EndOfUpdates(latest.sleeper)
    let observation = responder?.observe(K.self) { [weak latest] _, resolution in
      withExtendedLifetime(end) { latest?.newest = resolution }
      latest?.sleeper.wake()
    }
    return Iterator(responder: responder, latest: latest, observation: observation)
  }

  /// Hands out the newest state once.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate weak let responder: Responder?
    fileprivate let latest: Latest<Resolution<K.Value>>
    fileprivate let observation: ContextObservation?

    /// Returns the newest state, as soon as there has been another; `nil` when the responder is gone or the
    /// task was cancelled.
    public mutating func next() async -> Resolution<K.Value>? {
      await next(isolation: #isolation)
    }

    /// Returns the newest state on the isolation of the tree: a loop calls this one.
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

    private enum Step {
      /// Registered for changes, and with the mailbox for what arrives.
      case sleep(WaitRegistration, Mailbox?)
      /// Letters were applied, and nothing else is to be done for the moment.
      case letOthersWork
      case end
    }

    /// Applies what has arrived, or registers for what will.
    ///
    /// A function of its own, so that the responder is not kept while the loop waits.
    private func nextStep() -> Step {
      guard let responder else { return .end }
      let mailbox = responder.letters(for: KeyID(K.self))
      guard mailbox?.add(latest.sleeper) ?? true else {
        mailbox?.apply(to: responder.attachedTree?.root, opening: false)
        return .letOthersWork
      }
      // The observer hears of other states only; this is also woken when the responder moves, or
      // another pending slot decides, and the mailbox is another one.
      let waiting = WaitRegistration(erased(K.self), latest.sleeper)
      waiting.register(at: responder.core)
      return .sleep(waiting, mailbox)
    }
  }
}

/// The newest element between an observer and an iterator.
private final class Latest<Element> {
  var newest: Element?
  let sleeper = TaskSleeper()
}

/// Wakes the iterator when the observer that holds it is gone.
private final class EndOfUpdates: Sendable {
  private let sleeper: TaskSleeper

  init(_ sleeper: TaskSleeper) {
    self.sleeper = sleeper
  }

  deinit { sleeper.expire() }
}
