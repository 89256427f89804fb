import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store whose commits can be made to fail.
final class ChainStore: ForwardingStore {
  let base: any ObjectStore
  private let failing = Mutex(false)

  init(_ base: any ObjectStore) { self.base = base }

  func setFailing(_ fails: Bool) { failing.withLock { $0 = fails } }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    if failing.withLock({ $0 }) { throw GraphError("save", .full) }
    try base.commit(writes, receipts, from: inbox, resolving: resolving)
  }
}
