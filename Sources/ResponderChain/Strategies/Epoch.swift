import Synchronization

/// One state of one tree, in which nodes may remember where the next slots are.
///
/// Invalidating it makes all of them stale at once. An object instead of a counter: it cannot wrap,
/// and one pointer tells both the tree and whether it is still the same.
final class Epoch {
  let tree: Tree
  private let current: Atomic<UInt8>

  init(_ tree: Tree) {
    self.tree = tree
    current = Atomic(tree.strategy.way.byte)
  }

  /// How lookups go on from a route of this state.
  @inline(__always)
  var way: Way { Way(byte: current.load(ordering: .relaxed)) }

  var isValid: Bool { way != .stale }

  func invalidate() { current.store(Way.stale.byte, ordering: .releasing) }
}

/// What a lookup that has a route must know of it, in one byte: the strategy, or that the route is
/// stale.
///
/// Not an enumeration: the compiler would check each byte that it reads.
struct Way: Equatable {
  let byte: UInt8

  static var stale: Way { Way(byte: 0) }
  static var skipping: Way { Way(byte: 1) }
  static var baton: Way { Way(byte: 2) }
  static var chain: Way { Way(byte: 3) }
}

extension Strategy {
  var way: Way {
    switch self {
    case .baton: .baton
    case .chain: .chain
    case .skipping: .skipping
    }
  }
}
