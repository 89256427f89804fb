/// A loop that waits for changes in a context.
///
/// While the loop waits, it merges commits of other contexts and processes, as `merge()` does. So no
/// other code has to merge. After every 200 merged rows, the loop yields to other tasks.
struct ContextLoop {
  /// The root of the context, which merges.
  private weak var root: ObjectContext?
  let wake: LoopWake
  private var wakes: AsyncStream<Void>.Iterator

  /// Creates a loop. Without a context, it has ended.
  init(in context: ObjectContext?) {
    root = context?.root
    (wake, wakes) = LoopWake.make()
    if context == nil { wake.end() }
  }

  /// Waits until `take` returns an element, and returns it. Returns nil when the loop has ended or
  /// its task is cancelled.
  ///
  /// `take` is a closure so that the loop retains nothing of its owner while it waits.
  mutating func next<Element>(
    isolation actor: isolated (any Actor)?, _ take: () -> Element?
  ) async -> Element? {
    if Task.isCancelled { return nil }
    if let element = take() { return element }
    root?.onNews(for: wake) { [weak wake] in wake?.call() }
    defer { root?.forgetNews(for: wake) }
    while !Task.isCancelled {
      if merge() {
        if let element = take() { return element }
        await Task.yield()
        continue
      }
      guard await wakes.next(isolation: actor) != nil else { return nil }
      if !Task.isCancelled, let element = take() { return element }
    }
    return nil
  }

  /// Merges at most 200 rows that other contexts and processes have committed, and takes as many that
  /// were loaded for a list. Returns false if there were no such rows, or if reading failed. If only one
  /// row was unreadable, returns true.
  private func merge() -> Bool {
    guard let root else { return false }
    let hasTaken = root.takeLoadedRows(upTo: 200)
    guard root.hasNews else { return hasTaken }
    do {
      try root.merge(upTo: 200, asksStore: false)
      return true
    } catch {
      root.report(error)
      if (error as? GraphError)?.isAboutOneRow == true { return true }
      wake.callLater()
      return false
    }
  }
}
