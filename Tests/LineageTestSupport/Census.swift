import Synchronization

/// A counter of live instances. Any thread may use it.
package final class Census: Sendable {
  private let count = Atomic<Int>(0)
  private let born = Atomic<Int>(0)

  package init() {}

  /// The number of ``Citizen`` instances that are alive.
  package var population: Int { count.load(ordering: .sequentiallyConsistent) }
  /// The number of ``Citizen`` instances that were ever created.
  package var births: Int { born.load(ordering: .sequentiallyConsistent) }

  fileprivate func add(_ change: Int) {
    count.add(change, ordering: .sequentiallyConsistent)
    if change > 0 { born.add(change, ordering: .sequentiallyConsistent) }
  }
}

/// A token that a ``Census`` counts while it is alive. An object to be counted stores one.
package final class Citizen: Sendable {
  package let census: Census

  package init(of census: Census) {
    self.census = census
    census.add(1)
  }

  deinit { census.add(-1) }
}
