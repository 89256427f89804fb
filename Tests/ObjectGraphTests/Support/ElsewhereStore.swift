import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store that other processes use, too. Reads show the commits of these processes at once.
/// Contexts learn of the commits only at the beginning of a moment, or by `postForeignCommits()`.
final class ElsewhereStore: ForwardingStore {
  /// The store that the other processes use. This store forwards its calls to that store.
  let others: MemoryStore
  var base: any ObjectStore { others }
  private let pairs = Mutex<[Pair]>([])

  private struct Pair {
    weak var inbox: Inbox?
    let collector: Inbox
  }

  init(_ entities: [any Entity.Type]) throws { others = try MemoryStore(entities) }

  func makeReader() throws -> any StoreReader { PostingReader(try base.makeReader(), of: self) }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    let collector = pairs.withLock { $0.first { $0.inbox === inbox }?.collector }
    try base.commit(writes, receipts, from: collector, resolving: resolving)
  }

  func subscribe(_ inbox: Inbox) {
    let collector = Inbox()
    pairs.withLock { $0.append(Pair(inbox: inbox, collector: collector)) }
    base.subscribe(collector)
  }

  func postForeignCommits() throws {
    for pair in pairs.withLock({ $0 }) where !pair.collector.isEmpty {
      pair.inbox?.post(pair.collector.take())
    }
  }
}
