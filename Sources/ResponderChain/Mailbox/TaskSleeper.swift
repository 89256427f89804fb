import CLineageRuntime
import Synchronization

/// A suspended task that is woken by a round, a letter, a deadline or its cancellation.
///
/// A round wakes tasks in its own order. The runtime decides in which order they then run, because
/// a continuation resumes on the global pool before it goes to its actor.
final class TaskSleeper: Sendable {
  @safe private enum SleepPhase {
    case awake
    // The function that removes the continuation from the state, under the lock, also resumes it.
    // So it is resumed once. The continuation is an unchecked one, because a check costs as much as
    // the rest of the wake-up (`late delivery` to waiters).
    case asleep(UnsafeContinuation<Void, Never>)
    case woken
  }

  private struct SleeperState {
    var phase = SleepPhase.awake
    var isOverdue = false
  }

  private let state = Mutex(SleeperState())
  /// The sleeper's index in its mailbox, or -1 if the sleeper is in no mailbox. The mailbox's lock
  /// protects this value.
  fileprivate let index = Atomic<Int>(-1)

  /// Whether the deadline has passed.
  var isOverdue: Bool { state.withLock { $0.isOverdue } }

  /// Wakes the task because its deadline has passed.
  func expire() {
    state.withLock { $0.isOverdue = true }
    wake()
  }

  /// Wakes the task, or makes its next sleep end at once.
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

  /// Wakes the task after the jobs that are queued on its isolation already.
  ///
  /// A second task on the same isolation wakes this task, which sleeps by then. Rejected:
  /// `Task.yield()`. With a second suspension point, the waiting task would need more memory as
  /// long as it sleeps.
  func wakeInTurn(on isolation: isolated (any Actor)?) {
    Task {
      // A task runs on an isolation that it captures, and on the global executor otherwise.
      _ = isolation
      wake()
    }
  }

  /// Suspends the task until it is woken, or not at all if it was woken since its last sleep.
  ///
  /// The function runs on its caller's isolation, because otherwise the suspension would hop to the
  /// global executor and back.
  @inline(__always)
  func sleep(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      // A closure runs on an isolation that it captures, and on the global executor otherwise.
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

/// The sleeping tasks of a mailbox, in the order in which they fell asleep.
///
/// Ten thousand sleepers may be removed at once. So they are not retained, and each sleeper is
/// removed before it ends. The entry of a removed sleeper stays empty,
/// because moving another sleeper there would use the memory of a task that still sleeps.
struct Sleepers {
  private var entries: [SleeperRef?] = []
  /// The index before which all entries are empty.
  private var first = 0
  private(set) var count = 0

  mutating func add(_ sleeper: TaskSleeper) {
    if entries.count == entries.capacity, count <= entries.count / 2 { compact() }
    sleeper.index.store(entries.count, ordering: .relaxed)
    entries.append(SleeperRef(sleeper))
    count += 1
  }

  /// Removes a sleeper. Does nothing if the sleeper is not in the list.
  mutating func remove(_ sleeper: TaskSleeper) {
    let index = sleeper.index.load(ordering: .relaxed)
    guard index >= 0 else { return }
    sleeper.index.store(-1, ordering: .relaxed)
    entries[index] = nil
    count -= 1
    if count == 0 {
      entries.removeAll(keepingCapacity: true)
      first = 0
    }
  }

  /// Removes and returns the sleeper that has slept longest; nil if there is none.
  mutating func takeFirst() -> TaskSleeper? {
    guard count > 0 else { return nil }
    while true {
      if let sleeper = entries[first]?.strong {
        remove(sleeper)
        return sleeper
      }
      first += 1
    }
  }

  /// Removes the empty entries, and gives each sleeper its new index.
  private mutating func compact() {
    entries.removeAll { $0 == nil }
    first = 0
    for (index, sleeper) in entries.enumerated() { sleeper?.setIndex(index) }
  }
}

/// An unretained reference to a sleeper. It is valid while the sleeper is in a mailbox, or
/// while its ``WaitRegistration`` exists. A sleeper leaves its mailbox before it ends.
@safe
struct SleeperRef {
  private let sleeper: Unmanaged<TaskSleeper>

  init(_ sleeper: TaskSleeper) { unsafe self.sleeper = .passUnretained(sleeper) }

  /// A strong reference to the sleeper.
  var strong: TaskSleeper { unsafe sleeper.takeUnretainedValue() }

  /// Prefetches the sleeper's memory.
  func prefetch() { unsafe lineage_prefetch(sleeper.toOpaque()) }

  /// Sets the sleeper's index.
  fileprivate func setIndex(_ index: Int) {
    unsafe sleeper._withUnsafeGuaranteedRef { $0.index.store(index, ordering: .relaxed) }
  }
}

/// A value that is part of a letter.
///
/// It is Sendable although its value need not be. The value was passed as `sending`, or belongs to
/// the isolation of the mailbox's tree. It is used only where the letter is applied, on that
/// isolation. If the letter is released elsewhere without being applied, the value must hold what
/// belongs to the isolation only by weak references.
@safe
package struct Confined<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}

/// A weak reference that is part of a letter.
///
/// It is Sendable although its object need not be. A weak reference can be loaded on any thread,
/// and the object is used only where the letter is applied, on the isolation of the mailbox's tree.
@safe
struct ConfinedWeak<Object: AnyObject>: @unchecked Sendable {
  private weak let object: Object?

  init(_ object: Object) { self.object = object }

  /// A strong reference to the object; nil if it has ended.
  var strong: Object? { object }
}
