import Synchronization

/// The one Sendable door into a tree.
///
/// Everything that arrives from elsewhere is posted here, from any thread, and applied on the
/// tree's own isolation: by ``Application/run()``, by ``Application/drain()``, or by any
/// ``Responder/context(whenReady:within:clock:)`` while it waits.
public final class Mailbox: Sendable {
  fileprivate struct State {
    var letters: [Letter] = []
    /// Not retained, since ten thousand leave at once: each takes itself back before it ends.
    var sleepers: [Unmanaged<Waiter>] = []
    var wasOpened = false
    /// Whether the application is gone: nobody is left whom an action could be given.
    var isClosed = false
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

  /// Drops the actions that wait, and all that are still posted: their application is gone.
  ///
  /// What its survivors wait for stays.
  func close() {
    // They are released outside the lock: what they hold may do anything in its deinit.
    let dropped = state.withLock { state -> [Letter] in
      state.isClosed = true
      defer { state.letters.removeAll(where: \.isAction) }
      return state.letters
    }
    withExtendedLifetime(dropped) {}
  }

  /// How many letters wait to be applied.
  public var count: Int { state.withLock { $0.letters.count } }

  /// Whether anybody ever ran or drained the application.
  var isOpened: Bool { state.withLock { $0.wasOpened } }

  func post(_ letter: Letter) {
    let sleeper = state.withLock { state -> Waiter? in
      guard !state.isClosed || !letter.isAction else { return nil }
      state.letters.append(letter)
      return state.takeSleeper()
    }
    sleeper?.wake()
  }

  /// Takes all letters.
  func take(opening: Bool) -> [Letter] {
    state.withLock { state in
      if opening { state.wasOpened = true }
      let letters = state.letters
      state.letters = []
      return letters
    }
  }

  /// Registers somebody who will apply what arrives; false if there is something already.
  func add(_ sleeper: Waiter) -> Bool {
    state.withLock { state in
      guard state.letters.isEmpty else { return false }
      sleeper.seat.store(state.sleepers.count, ordering: .relaxed)
      state.sleepers.append(.passUnretained(sleeper))
      return true
    }
  }

  /// Takes a sleeper back, and wakes another if it leaves letters behind.
  func remove(_ sleeper: Waiter) {
    let next = state.withLock { state -> Waiter? in
      let seat = sleeper.seat.load(ordering: .relaxed)
      if seat >= 0 { state.removeSleeper(at: seat) }
      return state.letters.isEmpty ? nil : state.takeSleeper()
    }
    next?.wake()
  }
}

extension Mailbox.State {
  fileprivate mutating func takeSleeper() -> Waiter? {
    guard let first = sleepers.first else { return nil }
    removeSleeper(at: 0)
    return first.takeUnretainedValue()
  }

  fileprivate mutating func removeSleeper(at seat: Int) {
    sleepers[seat]._withUnsafeGuaranteedRef { $0.seat.store(-1, ordering: .relaxed) }
    sleepers.swapRemove(at: seat) { sleeper, seat in
      sleeper._withUnsafeGuaranteedRef { $0.seat.store(seat, ordering: .relaxed) }
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
  /// Applies everything that arrived, each letter in a round of its own.
  ///
  /// - Returns: the number of letters.
  @discardableResult
  func apply(to application: Application?, opening: Bool) -> Int {
    let letters = take(opening: opening)
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
