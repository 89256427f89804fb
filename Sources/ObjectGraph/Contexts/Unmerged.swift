/// The rows that others have committed and a family of contexts has heard of, but not taken in.
///
/// Objects that a context holds keep their values until the merge, and filters, orders and figures
/// there and below are judged by those. Rows that it does not hold are read as they are by now.
struct Unmerged {
  /// The rows to take in, in order.
  private var queue: ArraySlice<UnmergedRow> = []
  /// The ids of each entity in the queue.
  private(set) var keys: [Set<Int64>]
  /// The ids of rows of which a context has an object, or had one since.
  private(set) var heldKeys: [Set<Int64>]
  /// The objects that contexts held of these rows when they heard of them.
  var held: [GraphObject] = []
  /// The rows that were heard of in the moment under way.
  ///
  /// It may have begun just before their commit, so the next one tells followers again, or the merge.
  var lately: [UnmergedRow] = []
  /// Whether a merge takes the rows in slice by slice.
  private(set) var isSliced = false
  /// Whether others changed the file without saying what.
  var isEverything = false
  /// The moment of the store at which was listened last; never zero, which is no moment.
  var moment = -1

  init(entityCount: Int) {
    keys = Array(repeating: [], count: entityCount)
    heldKeys = keys
  }

  var isEmpty: Bool { queue.isEmpty && !isEverything }

  func contains(_ key: Int64, _ entity: Int) -> Bool { keys[entity].contains(key) }

  /// Adds rows, those that wait already but once.
  mutating func add(_ rows: [UnmergedRow]) {
    for row in rows where keys[row.entity].insert(row.key).inserted { queue.append(row) }
  }

  /// Notes that a context has an object of a row that waits.
  mutating func hold(_ key: Int64, _ entity: Int) { heldKeys[entity].insert(key) }

  /// Returns the next rows to take in; each stays until it is removed.
  func first(_ count: Int) -> [UnmergedRow] { Array(queue.prefix(count)) }

  /// Notes that a merge is about to take in at most so many rows.
  mutating func beginSlice(of count: Int) { isSliced = count < .max }

  /// Removes the first row, since it is taken in.
  mutating func removeFirst() {
    guard let row = queue.popFirst() else { return }
    keys[row.entity].remove(row.key)
    heldKeys[row.entity].remove(row.key)
    if queue.isEmpty {
      queue = []
      held = []
    }
  }

  /// Notes that a merge has taken in its rows; it was the last slice if none wait.
  mutating func endSlice() {
    if queue.isEmpty { isSliced = false }
  }
}

/// A row that others have committed.
struct UnmergedRow: Hashable {
  let entity: Int
  let key: Int64
}
