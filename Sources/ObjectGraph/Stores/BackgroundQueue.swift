import Dispatch

/// A store's own thread for background work: one piece after the other.
package final class BackgroundQueue: Sendable {
  private let queue = DispatchQueue(label: "Lineage.background")

  package init() {}

  /// Runs a closure on the thread, after those that were added before.
  func add(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
