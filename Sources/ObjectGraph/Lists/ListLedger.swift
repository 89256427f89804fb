import Foundation

/// The changes of a list's rows that one listener (an observer or a loop) has not got yet.
///
/// Rows without a change stay in the same order. So the ledger stores only the old and the new
/// position of each changed row, and no copy of the old rows.
///
/// Recording a change visits all stored positions. If the listener takes no changes for a long
/// time, this cost adds up. When the cost exceeds the number of rows, the ledger stores the ids of
/// all old rows instead, and compares these ids with the new rows when the listener takes the
/// changes. So recording a change costs constant time on average, apart from one pass over all
/// rows.
final class ListLedger<Value: Entity> {
  private var entries: [Int64: LedgerRow] = [:]
  /// The sections at the time when the listener last took changes; nil if nothing has changed
  /// since.
  private var oldSections: ListSections?
  /// The ids of the rows at the time when the listener last took changes. It is nil while `entries`
  /// contains the changed rows.
  private var oldKeys: [Int64]?
  /// The ids of the objects that changed since the listener last took changes. The set is empty
  /// while ``oldKeys`` is nil.
  private var changed: Set<Int64> = []
  /// The number of entries that were visited to record changes, since the listener last took
  /// changes. When it exceeds the number of rows, ``oldKeys`` replaces `entries`.
  private var cost = 0
  private let visits: ListVisits
  /// The standing of the list when the listener last took changes.
  private var known: ListStanding
  var listener: LedgerListener

  /// The observer or loop that gets the changes.
  enum LedgerListener {
    case closure((LiveList<Value>, ListChanges) -> Void)
    /// A loop over the list's updates. The list wakes the loop, and the loop then takes the
    /// changes.
    case loop(LoopWake)
    case nobody
  }

  init(_ listener: LedgerListener, knowing known: ListStanding, _ visits: ListVisits) {
    self.listener = listener
    self.known = known
    self.visits = visits
  }

  /// Records the rows that a splice removes and inserts. The function must be called before the
  /// splice is applied.
  func record(_ splice: ListSplice<Value>, on rows: ListRows<Value>) {
    if oldSections == nil { oldSections = rows.sections }
    cost += entries.count
    if oldKeys == nil, cost > rows.count + 64 { keepKeys(rows) }
    if oldKeys == nil {
      enter(splice)
    } else {
      visits.count += splice.changed.count
      changed.formUnion(splice.changed)
    }
  }

  private func enter(_ splice: ListSplice<Value>) {
    visits.count += entries.count + splice.removed.count + splice.added.count
    // The old positions of rows that change for the first time are computed from these two sets.
    let before = PositionSet(entries.values.compactMap(\.old).sorted())
    let current = PositionSet(entries.values.compactMap(\.new).sorted())
    var arrived: [Int64: LedgerRow] = [:]
    for (key, position) in zip(splice.removedKeys, splice.removed.positions)
    where entries[key] == nil {
      arrived[key] = LedgerRow(old: before.index(ofRank: current.rank(of: position)))
    }
    let removed = Set(splice.removedKeys)
    for (key, entry) in entries {
      guard let position = entry.new else { continue }
      entries[key]?.new =
        removed.contains(key)
        ? nil : splice.places.index(ofRank: splice.removed.rank(of: position))
    }
    entries.merge(arrived) { mine, _ in mine }
    for (object, place) in zip(splice.added, splice.places.positions) {
      entries[object.key, default: LedgerRow(old: nil)].new = place
    }
    for key in splice.changed { entries[key]?.isUpdated = true }
  }

  /// Replaces the entries with the ids of the old rows.
  private func keepKeys(_ rows: ListRows<Value>) {
    let gone = entries.compactMap { key, entry in entry.old.map { (key: key, place: $0) } }
      .sorted { $0.place < $1.place }
    var keys: [Int64] = []
    keys.reserveCapacity(rows.count + gone.count)
    var rest = gone[...]
    func addThoseThatAreDue() {
      while let next = rest.first, next.place == keys.count {
        keys.append(next.key)
        rest.removeFirst()
      }
    }
    for key in rows.keys where entries[key] == nil {
      addThoseThatAreDue()
      keys.append(key)
    }
    addThoseThatAreDue()
    visits.count += rows.count + gone.count
    oldKeys = keys
    for (key, entry) in entries where entry.isUpdated { changed.insert(key) }
    entries.removeAll()
  }

  /// Returns the changes that the listener has not got yet, and removes them from the ledger.
  /// Returns nil if neither the rows nor the standing of the list changed.
  func take(_ rows: ListRows<Value>, _ standing: ListStanding) -> ListChanges? {
    if let oldKeys, let oldSections {
      visits.count += oldKeys.count + rows.count
      enter(ListSplice(from: oldKeys, in: oldSections, to: rows, changed: changed))
    }
    let changes = oldSections.map { self.changes(from: $0, to: rows.sections) } ?? ListChanges()
    (oldSections, oldKeys, cost) = (nil, nil, 0)
    entries.removeAll()
    changed.removeAll()
    if changes.isEmpty, standing == known { return nil }
    known = standing
    return changes
  }

  private func changes(from old: ListSections, to new: ListSections) -> ListChanges {
    var changes = ListChanges()
    visits.count += entries.count
    // All rows of an added or removed section have changed, so the entries have rows of each such
    // section.
    changes.deletedSections = old.sections(of: entries.values.compactMap(\.old), notIn: new)
    changes.insertedSections = new.sections(of: entries.values.compactMap(\.new), notIn: old)
    changes.deletions = entries.values.filter { $0.new == nil }.compactMap(\.old).sorted()
      .map(old.path)
    changes.insertions = entries.values.filter { $0.old == nil }.compactMap(\.new).sorted()
      .map(new.path)
    changes.moves = moved(from: old, to: new).map {
      ListChanges.Move(from: old.path(of: $0.old), to: new.path(of: $0.new))
    }
    changes.updates = entries.values.filter { $0.isUpdated && $0.old != nil }.compactMap(\.new)
      .sorted().map(new.path)
    return changes
  }

  private func moved(
    from old: ListSections, to new: ListSections
  ) -> [(old: Int, new: Int)] {
    let before = PositionSet(entries.values.compactMap(\.old).sorted())
    let after = PositionSet(entries.values.compactMap(\.new).sorted())
    var moved: [(old: Int, new: Int)] = []
    // The changed rows that are in the same section and between the same unchanged rows as before.
    var staying: [(old: Int, new: Int)] = []
    for entry in entries.values {
      guard let row = entry.old, let newRow = entry.new else { continue }
      if before.rank(of: row) == after.rank(of: newRow), old.hasAlike(row, and: newRow, of: new) {
        staying.append((row, newRow))
      } else {
        moved.append((row, newRow))
      }
    }
    staying.sort { $0.old < $1.old }
    moved += zip(staying, staying.map(\.new).longestRun).filter { !$1 }.map(\.0)
    return moved.sorted { $0.new < $1.new }
  }
}

/// A row that has changed since the listener of a ``ListLedger`` last took changes.
///
/// It is outside that generic class, because a key path into a generic type is made anew each time.
/// That took half of the time of a change (`list follow-up`).
private struct LedgerRow {
  /// The old position of the row; nil if it was not in the list.
  let old: Int?
  /// The new position of the row; nil if it is no longer in the list.
  var new: Int?
  /// Whether the object of the row changed.
  var isUpdated = false
}

/// The facts about a list that its observers know besides its rows.
struct ListStanding: Equatable {
  /// Whether the last read failed.
  var isStale = false
  /// Whether the list has all rows of its request.
  var isComplete = true
}

extension ListSections {
  /// Returns the index path of a row.
  func path(of row: Int) -> IndexPath {
    let place = place(of: row).place
    return [place.section, row - place.rows.lowerBound]
  }

  /// Returns the ascending indices of the sections that contain the given rows. Sections with a key
  /// that also occurs in `others` are left out.
  fileprivate func sections(of rows: [Int], notIn others: ListSections) -> [Int] {
    var sections: [Int] = []
    var known: SectionPlace?
    for row in rows.sorted() where known?.rows.contains(row) != true {
      let (place, key) = place(of: row)
      known = place
      if !others.has(key) { sections.append(place.section) }
    }
    return sections
  }
}
