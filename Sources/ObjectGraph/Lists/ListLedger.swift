import Foundation

/// What has happened to a list's rows since somebody was told last.
///
/// Rows that nothing happened to keep their order among each other. So for the others it is enough
/// to know where they were and where they are, and no copy of the old rows is needed.
final class ListLedger<Value: Entity> {
  private var entries: [Int64: Entry] = [:]
  /// The sections as they were when somebody was told last; nil if nothing has happened since.
  private var oldSections: ListSections?
  /// Whether whoever is told knows that the list is stale.
  private var knowsStale: Bool
  var listener: Listener

  /// Who is told.
  enum Listener {
    case closure((LiveList<Value>, ListChanges) -> Void)
    /// A loop that asks by itself when it is woken.
    case loop(AsyncStream<Void>.Continuation)
    case nobody
  }

  private struct Entry {
    /// Where the row was; nil if it was not there.
    let old: Int?
    /// Where the row is; nil if it is there no more.
    var new: Int?
    /// Whether its object changed.
    var isUpdated = false
  }

  init(_ listener: Listener, knowsStale: Bool) {
    self.listener = listener
    self.knowsStale = knowsStale
  }

  /// Takes note of what is about to be done to rows.
  func record(_ splice: ListSplice<Value>, on rows: ListRows<Value>) {
    if oldSections == nil { oldSections = rows.sections }
    // Where rows were that are mentioned now for the first time.
    let before = Gaps(entries.values.compactMap(\.old).sorted())
    let current = Gaps(entries.values.compactMap(\.new).sorted())
    var arrived: [Int64: Entry] = [:]
    for (key, position) in zip(splice.removedKeys, splice.removed.positions)
    where entries[key] == nil {
      arrived[key] = Entry(old: before.index(ofRank: current.rank(of: position)))
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
      entries[object.key, default: Entry(old: nil)].new = place
    }
    for key in splice.changed { entries[key]?.isUpdated = true }
  }

  /// What has happened, in order to tell it now; nil if nothing has.
  func take(_ rows: ListRows<Value>, isStale: Bool) -> ListChanges? {
    let changes = oldSections.map { self.changes(from: $0, to: rows.sections) } ?? ListChanges()
    entries.removeAll()
    oldSections = nil
    if changes.isEmpty, isStale == knowsStale { return nil }
    knowsStale = isStale
    return changes
  }

  private func changes(from old: ListSections, to new: ListSections) -> ListChanges {
    var changes = ListChanges()
    changes.deletedSections = old.places(in: new).enumerated().compactMap { $1 == nil ? $0 : nil }
    changes.insertedSections = new.places(in: old).enumerated().compactMap { $1 == nil ? $0 : nil }
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
    let before = Gaps(entries.values.compactMap(\.old).sorted())
    let after = Gaps(entries.values.compactMap(\.new).sorted())
    let sections = old.places(in: new)
    var moved: [(old: Int, new: Int)] = []
    // Those that are between the same untouched rows as they were, and in the same section.
    var staying: [(old: Int, new: Int)] = []
    for entry in entries.values {
      guard let old = entry.old, let new = entry.new else { continue }
      if before.rank(of: old) == after.rank(of: new), sections[section(old)] == newSection(new) {
        staying.append((old, new))
      } else {
        moved.append((old, new))
      }
    }
    func section(_ row: Int) -> Int { old.section(of: row) }
    func newSection(_ row: Int) -> Int { new.section(of: row) }
    staying.sort { $0.old < $1.old }
    moved += zip(staying, staying.map(\.new).longestRun).filter { !$1 }.map(\.0)
    return moved.sorted { $0.new < $1.new }
  }
}

extension ListSections {
  /// The index path of a row.
  func path(of row: Int) -> IndexPath {
    let section = section(of: row)
    return [section, row - rows(of: section).lowerBound]
  }
}
