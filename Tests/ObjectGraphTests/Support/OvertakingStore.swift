import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store that runs a closure before each commit of its contexts. The closure commits to the base
/// store and so is always faster.
final class OvertakingStore: ForwardingStore {
  let base: any ObjectStore
  private let overtaking = Mutex<(@Sendable () throws -> Void)?>(nil)

  init(_ base: any ObjectStore) { self.base = base }

  /// Sets the closure that runs before each later commit.
  func overtake(_ body: @escaping @Sendable () throws -> Void) { overtaking.withLock { $0 = body } }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    try overtaking.withLock { $0 }?()
    try base.commit(writes, receipts, from: inbox, resolving: resolving)
  }
}
