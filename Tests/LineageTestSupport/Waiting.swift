/// The error of a wait for something that never happened.
package struct NeverHappened: Error {}

/// Lets other tasks run until something holds.
///
/// Bounded by turns, not by time: what is waited for needs other tasks to run, not a clock.
nonisolated(nonsending)
  package func until(_ condition: () -> Bool) async throws
{
  for turn in 0..<20_000 {
    if condition() { return }
    await Task.yield()
    // Threads outside the pool need real time to arrive.
    if turn > 1_000 { try? await Task.sleep(for: .microseconds(200)) }
  }
  guard condition() else { throw NeverHappened() }
}

/// A gate that tasks wait at until it is opened.
package actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func pass() async {
    guard !isOpen else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  package func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
