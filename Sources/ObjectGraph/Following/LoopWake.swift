/// The handle with which any thread can wake or end a loop.
final class LoopWake: Sendable {
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

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
