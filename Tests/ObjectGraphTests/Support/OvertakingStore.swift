import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store in which somebody else is always a little faster: before each commit of the context that
/// is made here, a closure runs.
final class OvertakingStore: ForwardingStore {
  let base: any ObjectStore
  private let overtaking = Mutex<(@Sendable () throws -> Void)?>(nil)

  init(_ base: any ObjectStore) { self.base = base }

  /// Has the closure run before each commit from now on.
  func overtake(_ body: @escaping @Sendable () throws -> Void) { overtaking.withLock { $0 = body } }

  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    try overtaking.withLock { $0 }?()
    try base.commit(writes, from: inbox, settling: settling)
  }
}
