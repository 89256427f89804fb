import CLineageThreadSanitizer
import Foundation
import LineageTestSupport
import Synchronization
import Testing

/// Tests that the thread sanitizer reports the races that are planted here, and that it reports
/// nothing where there is no race. The tests run only under this sanitizer.
@Suite(
  "The thread sanitizer", .hangGuard, .enabled("a run under it") { thread_sanitizer_hears() != 0 })
struct ThreadSanitizerTests {
  /// A value that two threads change.
  private final class Shared: @unchecked Sendable {
    // In the planted races, nothing protects the value. Elsewhere, the mutex or the continuation
    // does.
    var value = 0
    let lock = Mutex(0)
  }

  /// Runs the closure on two threads and waits until both have ended.
  private static func both(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Thread.detachNewThread {
        body()
        end.signal()
      }
    }
    for _ in 0..<2 { end.wait() }
  }

  @Test("finds a planted race")
  func race() async {
    await #expect(processExitsWith: .exitCode(66)) {
      let shared = Shared()
      Self.both { for _ in 0..<1000 { shared.value += 1 } }
    }
  }

  @Test("finds a race of what one thread changes under a mutex and the other does not")
  func halfLocked() async {
    await #expect(processExitsWith: .exitCode(66)) {
      let shared = Shared()
      let isFirst = Atomic(true)
      Self.both {
        let locks = isFirst.exchange(false, ordering: .relaxed)
        for _ in 0..<10_000 {
          if locks { shared.lock.withLock { _ in shared.value += 1 } } else { shared.value += 1 }
        }
      }
    }
  }

  @Test("finds a race with what is done after a continuation was resumed")
  func afterResuming() async {
    await #expect(processExitsWith: .exitCode(66)) {
      for _ in 0..<100 {
        let shared = Shared()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
          Thread.detachNewThread {
            continuation.resume()
            shared.value = 1
          }
        }
        shared.value += 1
      }
    }
  }

  @Test("says nothing of a mutex that threads wait for")
  func contended() {
    let shared = Shared()
    Self.both {
      for _ in 0..<20_000 { shared.lock.withLock { _ in shared.value += 1 } }
    }
    #expect(shared.value == 40_000)
  }

  @Test("says nothing of a continuation, whether it is resumed before it is awaited or after")
  func continuations() async {
    for round in 0..<200 {
      let shared = Shared()
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        Thread.detachNewThread {
          if round % 2 == 0 { usleep(100) }
          shared.value = 1
          continuation.resume()
        }
        if round % 2 == 1 { usleep(100) }
      }
      shared.value += 1
      #expect(shared.value == 2)
    }
  }
}
