import Dispatch

/// A store's queue for background work. It runs one closure after the other.
package final class BackgroundQueue: Sendable {
  private let queue = DispatchQueue(label: "Lineage.background")

  package init() {}

  /// Adds a closure to the queue, where it runs after all closures that were added earlier.
  func add(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
