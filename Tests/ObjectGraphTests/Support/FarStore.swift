import LineageTestSupport
import ObjectGraph
import Synchronization

/// A remote store. Its connection breaks during the commit after ``breakNext(_:)``.
final class FarStore: ForwardingStore {
  enum Break { case before, after }

  let memory: MemoryStore
  var base: any ObjectStore { memory }
  private let next = Mutex<Break?>(nil)

  init(_ memory: MemoryStore) { self.memory = memory }

  func breakNext(_ kind: Break) { next.withLock { $0 = kind } }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    let kind = next.withLock { next in
      defer { next = nil }
      return next
    }
    if kind != .before { try base.commit(writes, receipts, from: inbox, resolving: resolving) }
    if kind != nil { throw GraphError("save", .unknownOutcome("the cable is cut")) }
  }
}
