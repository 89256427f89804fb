import Foundation
import LineageTestSupport
import ObjectGraph
import Synchronization

/// A memo that is prepared for each save.
struct Memo: WillSave, Equatable {
  var title = ""
  var note = ""
  var slug = ""
  var created: Date?
  var modified: Date?
  var saves = 0

  static let schema = Schema<Memo>("Memo") {
    Attribute("title", \.title)
    Attribute("note", \.note)
    Attribute("slug", \.slug)
    Attribute("created", \.created)
    Attribute("modified", \.modified, onConflict: .mine)
    Attribute("saves", \.saves)
  }

  var problems: [Problem] { slug.isEmpty ? [Problem("slug", "must not be empty")] : [] }

  mutating func willSave(_ save: SaveMoment<Memo>) {
    if save.isNew { created = save.date }
    if save.changes(\.title) { slug = title.lowercased() }
    modified = save.date
    saves += 1
  }
}

/// A store whose clock gives a later date each time, and whose commits can fail.
final class ClockedStore: ForwardingStore {
  let base: any ObjectStore
  private let ticks = Atomic(0)
  private let fails = Atomic(false)

  init(_ base: any ObjectStore) { self.base = base }

  static func date(_ tick: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(tick)) }

  var now: Date { Self.date(ticks.add(1, ordering: .relaxed).newValue) }

  func failNext() { fails.store(true, ordering: .relaxed) }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    if fails.exchange(false, ordering: .relaxed) { throw GraphError("save", .full) }
    try base.commit(writes, receipts, from: inbox, resolving: resolving)
  }
}
