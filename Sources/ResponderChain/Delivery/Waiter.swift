import CLineageRuntime
import Synchronization

/// A suspended task that is woken by a round, a letter, a deadline or its cancellation.
final class Waiter: Sendable {
  private enum Phase {
    case awake
    // Resumed by whoever takes it out of the state under the lock, hence once; unchecked, because a
    // check costs as much as the rest of the wake-up.
    case asleep(UnsafeContinuation<Void, Never>)
    case woken
  }

  private struct State {
    var phase = Phase.awake
    var isOverdue = false
  }

  private let state = Mutex(State())
  /// Its place among a mailbox's sleepers; guarded by that mailbox.
  let seat = Atomic<Int>(-1)
  /// Where the task lies while it sleeps: asked for ahead, never read.
  private let sleeper = Atomic<UInt>(0)

  var isOverdue: Bool { state.withLock { $0.isOverdue } }

  /// Asks for the task's memory before it is woken.
  func askAhead() {
    guard let task = UnsafeRawPointer(bitPattern: sleeper.load(ordering: .relaxed)) else { return }
    prefetch_object(task)
    prefetch_object(task + 128)
  }

  func expire() {
    state.withLock { $0.isOverdue = true }
    wake()
  }

  func wake() {
    let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard case .asleep(let continuation) = state.phase else {
        state.phase = .woken
        return nil
      }
      state.phase = .awake
      return continuation
    }
    continuation?.resume()
  }

  /// Suspends until woken, at once if that happened since the last time.
  ///
  /// It runs where its caller runs; elsewhere the suspension would hop to the global executor and
  /// back. What slept long lies in no cache by then: `onWaking` asks for what the caller needs next,
  /// while the sleep is being ended.
  @inline(__always)
  nonisolated(nonsending) func sleep(onWaking: () -> Void = {}) async {
    // What `withTaskCancellationHandler` does, without its frame and that of the closure it needs:
    // they lie in the task's memory while it sleeps, and with them it has to take another kilobyte
    // from malloc. The record lies there, too; so each is removed by the function that added it.
    let record = add_waking(Unmanaged.passUnretained(self).toOpaque())
    await withUnsafeContinuation { continuation in
      let isWoken = state.withLock { state -> Bool in
        if case .woken = state.phase {
          state.phase = .awake
          return true
        }
        state.phase = .asleep(continuation)
        sleeper.store(unsafeBitCast(continuation, to: UInt.self), ordering: .relaxed)
        return false
      }
      if isWoken { continuation.resume() }
    }
    prefetch_object(Unmanaged.passUnretained(self).toOpaque())
    onWaking()
    withExtendedLifetime(self) { remove_waking(record) }
  }
}

/// Called on any thread when the task of a waiter is cancelled.
@c(lineage_wake)
func wake(cancelled waiter: UnsafeMutableRawPointer) {
  Unmanaged<Waiter>.fromOpaque(waiter).takeUnretainedValue().wake()
}
