import Synchronization

/// Counts live instances, from any thread.
package final class Census: Sendable {
  private let count = Atomic<Int>(0)
  private let born = Atomic<Int>(0)

  package init() {}

  /// The number of citizens that are alive.
  package var population: Int { count.load(ordering: .sequentiallyConsistent) }
  /// All there ever were.
  package var births: Int { born.load(ordering: .sequentiallyConsistent) }

  fileprivate func add(_ change: Int) {
    count.add(change, ordering: .sequentiallyConsistent)
    if change > 0 { born.add(change, ordering: .sequentiallyConsistent) }
  }
}

/// Counted as long as it lives: a member of whatever is to be counted.
package final class Citizen: Sendable {
  package let census: Census

  package init(of census: Census) {
    self.census = census
    census.add(1)
  }

  deinit { census.add(-1) }
}
