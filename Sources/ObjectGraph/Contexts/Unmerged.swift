/// The rows that others have committed and that a family of contexts knows of, but has not merged.
///
/// Objects that a context holds keep their values until the merge, and filters, orders and figures
/// there and below use those values. Rows that a context does not hold are read in their newest
/// state.
struct Unmerged {
  /// The rows to merge, in order.
  private var queue: ArraySlice<UnmergedRow> = []
  /// The ids of the queued rows of each entity.
  private(set) var keys: [Set<Int64>]
  /// The ids of queued rows for which a context has had an object since they were queued.
  private(set) var heldKeys: [Set<Int64>]
  /// The objects of queued rows that contexts held when they learned of the rows.
  var held: [GraphObject] = []
  /// The rows that the family learned of in the moment under way.
  ///
  /// That moment may have begun just before their commits. The next moment or merge therefore
  /// notifies followers of them again, because a list might otherwise miss a row for ever.
  var lately: [UnmergedRow] = []
  /// Whether a merge takes the rows in slices.
  private(set) var isSliced = false
  /// Whether others changed the store without saying which rows.
  var isEverything = false
  /// The moment of the store for which commits were last asked for; never zero, which is no moment.
  var moment = -1

  init(entityCount: Int) {
    keys = Array(repeating: [], count: entityCount)
    heldKeys = keys
  }

  var isEmpty: Bool { queue.isEmpty && !isEverything }

  func contains(_ key: Int64, _ entity: Int) -> Bool { keys[entity].contains(key) }

  /// Adds rows that are not queued yet.
  mutating func add(_ rows: [UnmergedRow]) {
    for row in rows where keys[row.entity].insert(row.key).inserted { queue.append(row) }
  }

  /// Records that a context has an object of a queued row.
  mutating func hold(_ key: Int64, _ entity: Int) { heldKeys[entity].insert(key) }

  /// Returns the next rows to merge, which stay queued until they are removed.
  func first(_ count: Int) -> [UnmergedRow] { Array(queue.prefix(count)) }

  /// Begins a merge of at most `count` rows.
  mutating func beginSlice(of count: Int) { isSliced = count < .max }

  /// Removes the first row, because it is merged.
  mutating func removeFirst() {
    guard let row = queue.popFirst() else { return }
    keys[row.entity].remove(row.key)
    heldKeys[row.entity].remove(row.key)
    if queue.isEmpty {
      queue = []
      held = []
    }
  }

  /// Ends a merge of some rows. It was the last slice if no rows are queued.
  mutating func endSlice() {
    if queue.isEmpty { isSliced = false }
  }
}

/// A row that others have committed.
struct UnmergedRow: Hashable {
  let entity: Int
  let key: Int64
}
