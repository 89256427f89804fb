import CLineageRuntime
import Synchronization

/// A suspended task that is woken by a round, a letter, a deadline or its cancellation.
final class TaskSleeper: Sendable {
  @safe private enum SleepPhase {
    case awake
    // The function that takes it out of the state under the lock resumes it, hence once. Unchecked,
    // because a check costs as much as the rest of the wake-up (`late delivery` to waiters).
    case asleep(UnsafeContinuation<Void, Never>)
    case woken
  }

  private struct SleeperState {
    var phase = SleepPhase.awake
    var isOverdue = false
  }

  private let state = Mutex(SleeperState())
  /// The index among a mailbox's sleepers, or -1; protected by that mailbox's lock.
  fileprivate let seat = Atomic<Int>(-1)

  /// Whether the deadline passed.
  var isOverdue: Bool { state.withLock { $0.isOverdue } }

  /// Wakes the task because its deadline passed.
  func expire() {
    state.withLock { $0.isOverdue = true }
    wake()
  }

  /// Wakes the task, or lets its next sleep end at once.
  func wake() {
    let continuation = unsafe state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard case .asleep(let continuation) = state.phase else {
        state.phase = .woken
        return nil
      }
      state.phase = .awake
      return unsafe continuation
    }
    unsafe continuation?.resume()
  }

  /// Wakes the task after what its isolation has to do already.
  ///
  /// The task that wakes it runs on the same isolation, so not before the other has fallen asleep.
  /// `Task.yield()` would be one more place at which the task can stop, and each costs memory for as
  /// long as it sleeps at another.
  func wakeInTurn(on isolation: isolated (any Actor)?) {
    Task {
      // A task runs on an isolation that it captures, and elsewhere if it does not.
      _ = isolation
      wake()
    }
  }

  /// Suspends until woken, at once if that happened since the last time.
  ///
  /// It runs where its caller runs; elsewhere the suspension would hop to the global executor and
  /// back.
  @inline(__always)
  func sleep(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      // A closure runs on an isolation that it captures, and elsewhere if it does not.
      await unsafe withUnsafeContinuation(isolation: isolation) { unsafe fallAsleep($0) }
    } onCancel: {
      wake()
    }
  }

  @inline(never)
  private func fallAsleep(_ continuation: UnsafeContinuation<Void, Never>) {
    let isWoken = state.withLock { state -> Bool in
      if case .woken = state.phase {
        state.phase = .awake
        return true
      }
      state.phase = unsafe .asleep(continuation)
      return false
    }
    if isWoken { unsafe continuation.resume() }
  }
}

/// Asks the processor for an object's memory before it is needed (`late delivery`).
@inline(__always)
func prefetch(_ object: AnyObject) {
  unsafe prefetch_object(Unmanaged.passUnretained(object).toOpaque())
}

/// The tasks that sleep until something arrives, in the order in which they began.
///
/// Ten thousand may leave at once. So they are not retained: each removes itself before it ends. And
/// a seat that is left stays free, because filling it would read the memory of a task that is not
/// yet awake.
struct Sleepers {
  private var seats: [SleeperRef?] = []
  /// The index before which all seats are free.
  private var first = 0
  private(set) var count = 0

  mutating func add(_ sleeper: TaskSleeper) {
    if seats.count == seats.capacity, count <= seats.count / 2 { closeUp() }
    sleeper.seat.store(seats.count, ordering: .relaxed)
    seats.append(SleeperRef(sleeper))
    count += 1
  }

  /// Removes a task; does nothing if it has no seat.
  mutating func remove(_ sleeper: TaskSleeper) {
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

  /// Takes out the task that has slept longest.
  mutating func takeFirst() -> TaskSleeper? {
    guard count > 0 else { return nil }
    while true {
      if let sleeper = seats[first]?.strong {
        remove(sleeper)
        return sleeper
      }
      first += 1
    }
  }

  private mutating func closeUp() {
    seats.removeAll { $0 == nil }
    first = 0
    for (seat, sleeper) in seats.enumerated() { sleeper?.sit(at: seat) }
  }
}

/// A sleeper that is not retained. Valid as long as it has a seat, which it leaves before it ends, and
/// as long as its registration.
@safe
struct SleeperRef {
  private let sleeper: Unmanaged<TaskSleeper>

  init(_ sleeper: TaskSleeper) { unsafe self.sleeper = .passUnretained(sleeper) }

  /// The sleeper, retained.
  var strong: TaskSleeper { unsafe sleeper.takeUnretainedValue() }

  /// Asks the processor for the sleeper's memory.
  func prefetch() { unsafe prefetch_object(sleeper.toOpaque()) }

  /// Changes the sleeper's seat.
  fileprivate func sit(at seat: Int) {
    unsafe sleeper._withUnsafeGuaranteedRef { $0.seat.store(seat, ordering: .relaxed) }
  }
}

/// A value that waits in a promise for its letter.
///
/// Sendable although its value is not: a value was sent into it, so nothing else has it, and it is
/// used only where its letter is applied, on the isolation of the mailbox's tree.
@safe
struct Confined<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// A reference that does not own, and that travels in a letter.
///
/// Sendable although its object is not: a weak reference can be loaded on any thread, and the object
/// is used only where the letter is applied, on the isolation of the mailbox's tree.
@safe
struct ConfinedWeak<Object: AnyObject>: @unchecked Sendable {
  private weak let object: Object?

  init(_ object: Object) { self.object = object }

  /// The object, retained; nil if it is gone.
  var strong: Object? { object }
}
