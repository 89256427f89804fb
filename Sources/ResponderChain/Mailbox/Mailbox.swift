import Synchronization

/// The one Sendable door into a tree.
///
/// Everything that arrives from elsewhere is posted here, from any thread, and applied on the
/// tree's own isolation: by ``Application/run()``, by ``Application/drain()``, or by any
/// ``Responder/context(whenReady:within:clock:)`` and loop over ``Responder/updates(of:)`` while it
/// waits.
public final class Mailbox: Sendable {
  private struct MailboxState {
    var letters: [any Letter] = []
    /// The remaining work of letters that were applied.
    var rests: [any Letter] = []
    var sleepers = Sleepers()
    var wasOpened = false
    /// Whether the application is gone, so that actions are dropped.
    var isClosed = false

    var hasNone: Bool { letters.isEmpty && rests.isEmpty }
  }

  private let state = Mutex(MailboxState())

  init() {}

  /// Drops the actions that wait, and all that are still posted: their application is gone.
  ///
  /// Letters for responders that outlived the application stay.
  func close() {
    // They are released outside the lock: what they hold may do anything in its deinit.
    let dropped = state.withLock { state -> [any Letter] in
      state.isClosed = true
      defer {
        state.letters.removeAll(where: \.isAction)
        state.rests = []
      }
      return state.letters + state.rests
    }
    withExtendedLifetime(dropped) {}
  }

  /// The number of letters that wait to be applied.
  public var count: Int { state.withLock { $0.letters.count + $0.rests.count } }

  /// Whether the application was ever run or drained.
  var isOpened: Bool { state.withLock { $0.wasOpened } }

  /// Whether a task sleeps that will apply what arrives.
  var hasSleepers: Bool { state.withLock { $0.sleepers.count > 0 } }

  /// Adds a letter, and wakes the task that has slept longest.
  ///
  /// `isRest` says that the letter is what an applied one has left to do.
  func post(_ letter: any Letter, isRest: Bool = false) {
    let sleeper = state.withLock { state -> TaskSleeper? in
      guard !state.isClosed || !letter.isAction else { return nil }
      if isRest { state.rests.append(letter) } else { state.letters.append(letter) }
      return state.sleepers.takeFirst()
    }
    sleeper?.wake()
  }

  /// Registers a task that will apply what arrives; false if there is something already.
  func add(_ sleeper: TaskSleeper) -> Bool {
    state.withLock { state in
      guard state.hasNone else { return false }
      state.sleepers.add(sleeper)
      return true
    }
  }

  /// Removes a task, and wakes another if it leaves letters behind.
  func remove(_ sleeper: TaskSleeper) {
    let next = state.withLock { state -> TaskSleeper? in
      state.sleepers.remove(sleeper)
      return state.hasNone ? nil : state.sleepers.takeFirst()
    }
    next?.wake()
  }
}

extension Mailbox {
  /// Applies everything that has arrived by now, first what earlier letters have left.
  ///
  /// `opening` says that the application itself does it, not a task that waits.
  ///
  /// - Returns: the number of letters.
  @discardableResult
  func apply(to root: AnyObject?, opening: Bool) -> Int {
    let letters = state.withLock { state -> [any Letter] in
      if opening { state.wasOpened = true }
      let letters = state.rests.isEmpty ? state.letters : state.rests + state.letters
      state.letters = []
      state.rests = []
      return letters
    }
    return apply(letters, to: root)
  }

  /// Applies what earlier letters have left to do.
  ///
  /// - Returns: the number of letters.
  func applyRests(to root: AnyObject?) -> Int {
    let rests = state.withLock { state -> [any Letter] in
      let rests = state.rests
      state.rests = []
      return rests
    }
    return apply(rests, to: root)
  }

  private func apply(_ letters: [any Letter], to root: AnyObject?) -> Int {
    for letter in letters { letter.apply(from: self, to: root) }
    return letters.count
  }
}
