import Synchronization

/// The way into a tree from other isolations.
///
/// Letters are posted here on any thread, and applied on the tree's own isolation.
/// ``Application/run()`` and ``Application/drain()`` apply them. So do
/// ``Responder/context(whenReady:within:clock:)`` and a loop over ``Responder/updates(of:)``, while
/// they wait.
public final class Mailbox: Sendable {
  private struct MailboxState {
    var letters: [any Letter] = []
    /// The letters for work that earlier letters have left to do.
    var rests: [any Letter] = []
    var sleepers = Sleepers()
    /// The closure that wakes a loop of the program's own; nil if there is none.
    var arrival: (@Sendable () -> Void)?
    var wasOpened = false
    /// Whether the application has ended, so that actions are dropped.
    var isClosed = false

    var hasNone: Bool { letters.isEmpty && rests.isEmpty }
  }

  private let state = Mutex(MailboxState())
  /// Whether there may be letters in ``MailboxState/rests``. Without them, the second look of
  /// ``Application/drain()`` takes no lock. The tree's own isolation posts them and looks.
  private let hasRests = Atomic<Bool>(false)

  init() {}

  /// Drops all actions in the mailbox, and makes it drop actions that are posted later, because the
  /// application has ended.
  ///
  /// The actions are released here, because an action that retains the mailbox forms a reference
  /// cycle with it. Letters for responders that outlived the application stay.
  func close() {
    // The letters are released outside the lock, because the deinit of an object they hold may run
    // any code.
    let dropped = state.withLock { state -> ([any Letter], (@Sendable () -> Void)?) in
      state.isClosed = true
      defer {
        state.letters.removeAll(where: \.isAction)
        state.rests = []
        state.arrival = nil
      }
      return (state.letters + state.rests, state.arrival)
    }
    withExtendedLifetime(dropped) {}
  }

  /// The number of letters that are not applied yet.
  public var count: Int { state.withLock { $0.letters.count + $0.rests.count } }

  /// Sets a closure that wakes a loop of the program's own, such as that of a game or of GTK.
  ///
  /// The closure is called when a letter arrives, unless another letter waits already. It runs on the
  /// thread that posts the letter. It should only wake the loop, which then calls
  /// ``Application/drain()``. If letters wait already, it is called at once. It is released with the
  /// application.
  public func onArrival(_ wake: (@Sendable () -> Void)?) {
    let isDue = state.withLock { state in
      state.arrival = wake
      return !state.hasNone
    }
    if isDue { wake?() }
  }

  /// Whether ``Application/run()`` or ``Application/drain()`` of the mailbox's application was
  /// called.
  var isOpened: Bool { state.withLock { $0.wasOpened } }

  /// Whether a sleeping task will apply the letters that arrive.
  var hasSleepers: Bool { state.withLock { $0.sleepers.count > 0 } }

  /// Adds a letter, and wakes the task that has slept longest.
  ///
  /// `isRest` says that the letter is for work that an applied letter has left to do.
  func post(_ letter: any Letter, isRest: Bool = false) {
    let (sleeper, arrival) = state.withLock { state -> (TaskSleeper?, (@Sendable () -> Void)?) in
      guard !state.isClosed || !letter.isAction else { return (nil, nil) }
      let arrival = state.hasNone ? state.arrival : nil
      if isRest {
        state.rests.append(letter)
        hasRests.store(true, ordering: .relaxed)
      } else {
        state.letters.append(letter)
      }
      return (state.sleepers.takeFirst(), arrival)
    }
    sleeper?.wake()
    arrival?()
  }

  /// Registers a sleeper, whose task will apply the letters that arrive.
  ///
  /// - Returns: false if there are letters already; the sleeper is not registered then.
  func add(_ sleeper: TaskSleeper) -> Bool {
    state.withLock { state in
      guard state.hasNone else { return false }
      state.sleepers.add(sleeper)
      return true
    }
  }

  /// Removes a sleeper, and wakes another sleeper if there are letters.
  func remove(_ sleeper: TaskSleeper) {
    let next = state.withLock { state -> TaskSleeper? in
      state.sleepers.remove(sleeper)
      return state.hasNone ? nil : state.sleepers.takeFirst()
    }
    next?.wake()
  }
}

extension Mailbox {
  /// Applies all letters that have arrived by now. The work that earlier letters have left to do
  /// comes first.
  ///
  /// `opening` says that the application calls this function, and not a task that waits.
  ///
  /// - Returns: the number of letters that were applied.
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

  /// Applies the work that earlier letters have left to do.
  ///
  /// - Returns: the number of letters that were applied.
  func applyRests(to root: AnyObject?) -> Int {
    guard hasRests.load(ordering: .relaxed) else { return 0 }
    let rests = state.withLock { state -> [any Letter] in
      let rests = state.rests
      state.rests = []
      hasRests.store(false, ordering: .relaxed)
      return rests
    }
    return apply(rests, to: root)
  }

  private func apply(_ letters: [any Letter], to root: AnyObject?) -> Int {
    for letter in letters { letter.apply(from: self, to: root) }
    return letters.count
  }
}
