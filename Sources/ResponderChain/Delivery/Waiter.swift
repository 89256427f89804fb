import CReferences
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

  /// What ends the wait even if it no longer holds when the task runs.
  enum Verdict: Sendable {
    case failed(any Error)
    case blocked
  }

  private struct State {
    var phase = Phase.awake
    var verdict: Verdict?
    var isOverdue = false
  }

  private let state = Mutex(State())
  /// Its place among a mailbox's sleepers; guarded by that mailbox.
  let seat = Atomic<Int>(-1)
  /// Where the task lies while it sleeps: asked for ahead, never read.
  private let sleeper = Atomic<UInt>(0)

  var verdict: Verdict? { state.withLock { $0.verdict } }
  var isOverdue: Bool { state.withLock { $0.isOverdue } }

  /// Remembers a failure when it happens: those who waited for it throw, even if it is retried
  /// before their task runs.
  func note(_ answer: Answer) {
    switch answer {
    case .failed(let failure): state.withLock { $0.verdict = $0.verdict ?? .failed(failure.error) }
    case .blocked: state.withLock { $0.verdict = $0.verdict ?? .blocked }
    case .value, .pending, .missing: break
    }
  }

  /// Asks for the task's memory before it is woken.
  func askAhead() {
    prefetch_object(UnsafeRawPointer(bitPattern: sleeper.load(ordering: .relaxed)))
  }

  func expire() {
    state.withLock { $0.isOverdue = true }
    wake()
  }

  func wake() {
    let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      let before = state.phase
      state.phase = .woken
      guard case .asleep(let continuation) = before else { return nil }
      return continuation
    }
    continuation?.resume()
  }

  /// Suspends until woken, at once if that happened since the last time.
  ///
  /// The closures run where the caller runs because they refer to `isolation`; without it they
  /// would hop to the global executor and back.
  ///
  /// - Returns: what happened meanwhile, if it ends the wait.
  @discardableResult
  @inline(__always)
  func sleep(isolation: isolated (any Actor)? = #isolation) async -> Verdict? {
    await withTaskCancellationHandler {
      _ = isolation
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let isWoken = state.withLock { state -> Bool in
          if case .woken = state.phase { return true }
          state.phase = .asleep(continuation)
          sleeper.store(unsafeBitCast(continuation, to: UInt.self), ordering: .relaxed)
          return false
        }
        if isWoken { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
    return state.withLock {
      $0.phase = .awake
      return $0.verdict
    }
  }
}
