import Foundation
import Synchronization

/// The saves of a context whose unsaved changes are kept, and of kept contexts below it.
///
/// An archive of unsaved changes can be older than the store, if the process is killed after a commit
/// and before the next save of its state. The values cannot tell. So a commit writes, in the same
/// transaction, a ``Receipt`` for each kept context whose changes it contains.
///
/// The receipt of a commit has a greater count than any earlier archive of the context, and no later
/// archive has a smaller count than the receipt.
final class SaveLedger {
  /// The numbers of saves of the context itself, by its ids. It has a second id if its changes were
  /// kept already when it took over the id of an earlier process. Older archives name the first one.
  private var own: [UUID: Int64] = [:]
  /// The id for new archives; nil until the first archive or save.
  private var current: UUID?
  /// The counts of kept contexts below that were saved into this one since its last save, by their
  /// ids.
  private(set) var handed: [UUID: Int64] = [:]
  /// A closure that hears that the kept changes may be others; nil if the changes of the context
  /// itself are not kept.
  var onChange: (() -> Void)?
  private let isListed: (_ key: Int64, _ entity: Int) -> Bool
  /// Whether the closure must hear of a change at the end of the operation.
  private var hasChanged = false
  var isWaiting = false
  /// Whether a later process brings the present changes back, so that this context may end with them.
  var isHandedOver = false

  /// The ids of all ledgers of this process. No two contexts have the same id, because the count of
  /// one would be wrong for the other.
  private static let used = Mutex<Set<UUID>>([])

  /// Creates a ledger. A closure returns whether the context has or had unsaved changes of an object.
  init(isListed: @escaping (_ key: Int64, _ entity: Int) -> Bool) { self.isListed = isListed }

  deinit {
    let ids = own.keys
    if !ids.isEmpty { Self.used.withLock { $0.subtract(ids) } }
  }

  /// The id and the number of saves for an archive; nil if the changes are not kept.
  var keeping: (id: UUID, count: Int64)? {
    guard onChange != nil else { return nil }
    let id = current ?? UUID()
    if current == nil { take(id, 0) }
    return (id, own[id] ?? 0)
  }

  /// Takes over the id of an archive with its number of saves, unless another context has it.
  func take(_ id: UUID, _ count: Int64) {
    guard onChange != nil else { return }
    if own[id] == nil, !Self.used.withLock({ $0.insert(id).inserted }) { return }
    own[id] = max(own[id] ?? 0, count)
    current = id
  }

  /// Returns the counts that the next save hands on.
  func next() -> [UUID: Int64] {
    _ = keeping
    return handed.merging(own.mapValues { $0 + 1 }) { max($0, $1) }
  }

  /// Notes that counts of ``next()`` were handed on or committed.
  func didSave(_ counts: [UUID: Int64]) {
    skip(counts)
    handed = handed.filter { $0.value > counts[$0.key] ?? -1 }
  }

  /// Notes that counts of ``next()`` may have been committed. They are not used again, so a receipt
  /// that appears later says nothing of archives that are made after this call.
  func skip(_ counts: [UUID: Int64]) {
    for (id, count) in own { own[id] = max(count, counts[id] ?? 0) }
  }

  /// Takes the counts of a context that was saved into this one.
  func hand(_ counts: [UUID: Int64]) { handed.merge(counts) { max($0, $1) } }

  /// Forgets what was saved into the context, which has discarded it.
  func forgetHanded() { handed = [:] }
}

extension SaveLedger: ContextFollower {
  var followsInSlices: Bool { true }
  var stage: FollowerStage { .notes }

  /// Records that an object has changed, if the context has or had unsaved changes of it. Other
  /// changes above, of which a context with many siblings hears often, change nothing that is kept.
  func markChanged(_ key: Int64, of entity: Int, in columns: ColumnMask?) {
    if !hasChanged, isListed(key, entity) { hasChanged = true }
  }

  func markChanged(_ keys: [Int64], of entity: Int) {}
  func markAllChanged() {}

  /// Records that all unsaved changes were saved or discarded, which removes the objects from the
  /// context's list.
  func markEmptied() { hasChanged = true }

  func operationDidEnd() {
    guard hasChanged else { return }
    (hasChanged, isHandedOver) = (false, false)
    onChange?()
  }
}

extension ObjectStore {
  /// Returns the receipts of a commit.
  func receipts(_ counts: [UUID: Int64]) -> [Receipt] {
    if counts.isEmpty { return [] }
    let date = now.timeIntervalSinceReferenceDate
    return counts.map { Receipt(id: $0, count: $1, date: date) }
      .sorted { $0.id.uuidString < $1.id.uuidString }
  }
}
