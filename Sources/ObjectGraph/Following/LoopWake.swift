/// The handle with which any thread can wake or end a loop.
final class LoopWake: Sendable {
  private let continuation: AsyncStream<Void>.Continuation

  private init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  /// Returns a handle, and the wakes for which its loop waits. Several wakes at once are one.
  static func make() -> (wake: LoopWake, wakes: AsyncStream<Void>.Iterator) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    return (LoopWake(continuation), stream.makeAsyncIterator())
  }

  func call() { continuation.yield() }

  /// Wakes the loop after 200 milliseconds, because a disk that could not be read may work again
  /// then.
  func callLater() {
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(200))
      self?.call()
    }
  }

  func end() { continuation.finish() }
}

/// The loops that end with a context.
final class EndingLoops {
  private var wakes: [WeakWake] = []
  private var limit = 16

  private struct WeakWake {
    weak var wake: LoopWake?
  }

  // The deinit may run on any thread. It only ends loops, which is thread-safe.
  deinit { for entry in wakes { entry.wake?.end() } }

  func add(_ wake: LoopWake) {
    if wakes.count >= limit {
      wakes.removeAll { $0.wake == nil }
      limit = 2 * wakes.count + 16
    }
    wakes.append(WeakWake(wake: wake))
  }
}
