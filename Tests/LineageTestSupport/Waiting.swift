/// The error of a wait whose condition never became true.
package struct NeverHappened: Error {}

/// Lets other tasks run until a condition is true. Throws ``NeverHappened`` after too many turns.
///
/// The limit is a number of turns and not a time, because the condition depends on other tasks and
/// not on a clock.
nonisolated(nonsending)
  package func until(_ condition: () -> Bool) async throws
{
  for turn in 0..<20_000 {
    if condition() { return }
    await Task.yield()
    // Work on threads outside the pool takes real time.
    if turn > 1_000 { try? await Task.sleep(for: .microseconds(200)) }
  }
  guard condition() else { throw NeverHappened() }
}

/// A gate at which tasks wait until it is opened.
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
