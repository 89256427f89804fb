import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store in which somebody else is always a little faster: before each commit of the context that
/// is made here, a closure runs.
final class OvertakingStore: ForwardingStore {
  let base: any ObjectStore
  private let overtaking = Mutex<(@Sendable () throws -> Void)?>(nil)
  private let commits = Atomic(0)

  init(_ base: any ObjectStore) { self.base = base }

  /// Has the closure run before each commit from now on.
  func overtake(_ body: @escaping @Sendable () throws -> Void) { overtaking.withLock { $0 = body } }

  /// The commits that were tried.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    commits.add(1, ordering: .relaxed)
    try overtaking.withLock { $0 }?()
    try base.commit(writes, from: inbox, settling: settling)
  }
}
