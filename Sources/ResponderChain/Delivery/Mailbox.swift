import Synchronization

/// The one Sendable door into a tree.
///
/// Everything that arrives from elsewhere is posted here, from any thread, and applied on the
/// tree's own isolation: by ``Application/run()``, by ``Application/drain()``, or by any
/// ``Responder/context(whenReady:within:clock:)`` and loop over ``Responder/updates(of:)`` while it
/// waits.
public final class Mailbox: Sendable {
  fileprivate struct State {
    var letters: [Letter] = []
    /// What letters that were applied have left to do.
    var rests: [Letter] = []
    var sleepers = Sleepers()
    var wasOpened = false
    /// Whether the application is gone: nobody is left whom an action could be given.
    var isClosed = false

    var hasNone: Bool { letters.isEmpty && rests.isEmpty }
  }

  enum Letter: Sendable {
    case settled(Promise)
    case action(@Sendable (Application) -> Void)
    case survivor(Survivor)

    var isAction: Bool { if case .action = self { true } else { false } }
  }

  private let state = Mutex(State())

  init() {}

  /// Posts something to be done with the application, on its isolation, in a round of its own.
  ///
  /// What the action holds is released when it was done, or with the application.
  public func post(_ action: @escaping @Sendable (Application) -> Void) {
    post(.action(action))
  }

  /// Posts what an action that is being applied has left to do.
  ///
  /// ``Application/drain()`` applies it before it returns, unlike what is posted otherwise by then.
  /// So it must be less each time.
  package func postRest(_ action: @escaping @Sendable (Application) -> Void) {
    post(.action(action), isRest: true)
  }

  /// Drops the actions that wait, and all that are still posted: their application is gone.
  ///
  /// What its survivors wait for stays.
  func close() {
    // They are released outside the lock: what they hold may do anything in its deinit.
    let dropped = state.withLock { state -> [Letter] in
      state.isClosed = true
      defer {
        state.letters.removeAll(where: \.isAction)
        state.rests = []
      }
      return state.letters + state.rests
    }
    withExtendedLifetime(dropped) {}
  }

  /// How many letters wait to be applied.
  public var count: Int { state.withLock { $0.letters.count + $0.rests.count } }

  /// Whether anybody ever ran or drained the application.
  var isOpened: Bool { state.withLock { $0.wasOpened } }

  /// Whether a task sleeps that will apply what arrives.
  var hasSleepers: Bool { state.withLock { $0.sleepers.count > 0 } }

  func post(_ letter: Letter, isRest: Bool = false) {
    let sleeper = state.withLock { state -> Waiter? in
      guard !state.isClosed || !letter.isAction else { return nil }
      if isRest { state.rests.append(letter) } else { state.letters.append(letter) }
      return state.sleepers.takeFirst()
    }
    sleeper?.wake()
  }

  /// Takes all letters, first what earlier ones have left.
  fileprivate func take(opening: Bool) -> [Letter] {
    state.withLock { state in
      if opening { state.wasOpened = true }
      let letters = state.rests.isEmpty ? state.letters : state.rests + state.letters
      state.letters = []
      state.rests = []
      return letters
    }
  }

  /// Takes what earlier letters have left.
  fileprivate func takeRests() -> [Letter] {
    state.withLock { state in
      let rests = state.rests
      state.rests = []
      return rests
    }
  }

  /// Registers somebody who will apply what arrives; false if there is something already.
  func add(_ sleeper: Waiter) -> Bool {
    state.withLock { state in
      guard state.hasNone else { return false }
      state.sleepers.add(sleeper)
      return true
    }
  }

  /// Takes a sleeper back, and wakes another if it leaves letters behind.
  func remove(_ sleeper: Waiter) {
    let next = state.withLock { state -> Waiter? in
      state.sleepers.remove(sleeper)
      return state.hasNone ? nil : state.sleepers.takeFirst()
    }
    next?.wake()
  }
}

/// Those who sleep until something arrives, in the order in which they began.
///
/// Ten thousand may leave at once. So they are not retained: each takes itself back before it ends.
/// And a seat that is left stays free, since moving another there would read the memory of one who
/// is not yet awake.
private struct Sleepers {
  private var seats: [Unmanaged<Waiter>?] = []
  /// The seats before it are free.
  private var first = 0
  private(set) var count = 0

  mutating func add(_ sleeper: Waiter) {
    if seats.count == seats.capacity, count <= seats.count / 2 { closeUp() }
    sleeper.seat.store(seats.count, ordering: .relaxed)
    seats.append(.passUnretained(sleeper))
    count += 1
  }

  /// Does nothing if it has no seat.
  mutating func remove(_ sleeper: Waiter) {
    let seat = sleeper.seat.load(ordering: .relaxed)
    guard seat >= 0 else { return }
    sleeper.seat.store(-1, ordering: .relaxed)
    seats[seat] = nil
    count -= 1
    if count == 0 {
      seats.removeAll(keepingCapacity: true)
      first = 0
    }
  }

  /// Takes out who sleeps longest.
  mutating func takeFirst() -> Waiter? {
    guard count > 0 else { return nil }
    while true {
      if let sleeper = seats[first]?.takeUnretainedValue() {
        remove(sleeper)
        return sleeper
      }
      first += 1
    }
  }

  private mutating func closeUp() {
    seats.removeAll { $0 == nil }
    first = 0
    for (seat, sleeper) in seats.enumerated() {
      sleeper?._withUnsafeGuaranteedRef { $0.seat.store(seat, ordering: .relaxed) }
    }
  }
}

/// A child that may have outlived its parent, found by whoever opens the mailbox.
struct Survivor: @unchecked Sendable {
  // Protected by the mailbox: only the isolation of the tree that the child was in reads it, and
  // loading a weak reference is safe on any thread.
  weak let responder: Responder?
}

extension Mailbox {
  /// Applies everything that has arrived by now, each letter in a round of its own.
  ///
  /// - Returns: the number of letters.
  @discardableResult
  func apply(to application: Application?, opening: Bool) -> Int {
    apply(take(opening: opening), to: application)
  }

  /// Applies what earlier letters have left to do, each in a round of its own.
  ///
  /// - Returns: the number of letters.
  func applyRests(to application: Application) -> Int { apply(takeRests(), to: application) }

  private func apply(_ letters: [Letter], to application: Application?) -> Int {
    for letter in letters {
      switch letter {
      case .settled(let promise): promise.apply(from: self)
      case .action(let action):
        guard let application else { continue }
        Round.perform { _ in action(application) }
      case .survivor(let survivor):
        guard let responder = survivor.responder else { continue }
        // Its own survivors are announced here, too.
        responder.core.madeContents().mailbox = self
        responder.core.set(NodeBits.farewell, true)
        Round.perform { $0.bury(above: responder) }
      }
    }
    return letters.count
  }
}
