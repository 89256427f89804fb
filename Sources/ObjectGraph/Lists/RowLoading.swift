/// The loading of a list's rows elsewhere, as the list's isolation sees it.
///
/// A row comes to the list by its id. The ids that the context knows better than the reader come
/// first: objects with unsaved changes, and rows of which the list has heard since the beginning.
/// Then come the ids of the reader. Each is judged once, and followed from then on like any row.
struct RowLoading<Value: Entity> {
  /// The request whose first rows replace the list's rows; nil if the list shows its rows already.
  private(set) var next: ListQuery<Value>?
  let collector = IDCollector()
  /// The ids to judge before those of the collector.
  private var early: [Int64]
  /// The ids that the list has judged, by a slice or because it has heard of a change.
  private var judged: Set<Int64>
  /// Whether the ids that the context knows better are known.
  private var hasBegun = false
  /// Whether a slice was taken. The first one has a page of the collector's ids.
  private var hasTaken = false
  /// Whether the reader or a slice has failed. The next operation of the context begins anew.
  var hasFailed = false

  /// Creates the loading of a new request, or of the rows that a list with the given ids lacks.
  /// `replacing` has the ids of the objects that replace rows of the store now. They may be saved after
  /// the reader's moment, and are then no news.
  init(of next: ListQuery<Value>?, besides keys: [Int64], replacing: some Sequence<Int64>) {
    self.next = next
    judged = Set(keys)
    early = Array(replacing)
  }

  /// Whether a slice can be taken.
  var hasArrived: Bool { !hasFailed && (hasBegun && !early.isEmpty || collector.hasArrived) }

  /// Notes ids of which the list has heard. The list judges them by the request that it shows.
  mutating func hear(_ keys: Set<Int64>) {
    if next == nil { judged.formUnion(keys) } else { early += keys }
  }

  /// Notes, before the first slice, the ids of the objects that replace rows of the store.
  mutating func begin(_ replacing: some Sequence<Int64>) {
    guard !hasBegun else { return }
    hasBegun = true
    early += replacing
  }

  /// Notes, before the first slice of a new request, ids of rows of the former one.
  mutating func keep(_ keys: some Sequence<Int64>) {
    if next != nil { early += keys }
  }

  /// Removes the next ids to judge and returns them, at most `limit`. The outcome of the reader is
  /// returned with the last ones.
  mutating func take(_ limit: Int) -> (keys: [Int64], outcome: Result<Void, any Error>?) {
    var keys = early.suffix(limit).filter { judged.insert($0).inserted }
    early.removeLast(min(limit, early.count))
    guard early.isEmpty else { return (keys, nil) }
    let rest = limit - keys.count
    let (collected, outcome) = collector.take(hasTaken ? rest : min(rest, IDCollector.firstPage))
    hasTaken = true
    keys += collected.filter { !judged.contains($0) }
    return (keys, outcome)
  }

  /// Notes that the list shows rows of the new request.
  mutating func didReplace() { next = nil }
}
