/// The rows that others have committed and a family of contexts has heard of, but not taken in.
///
/// Objects that a context holds keep their values until the merge, and filters, orders and figures
/// there and below are judged by those. Rows that it does not hold are read as they are by now.
struct Unmerged {
  /// The rows to take in, in order.
  private var queue: ArraySlice<UnmergedRow> = []
  /// The ids of each entity in the queue.
  private(set) var keys: [Set<Int64>]
  /// The objects that contexts held of these rows when they heard of them.
  var held: [Instance] = []
  /// Rows of the last hearing.
  ///
  /// A moment may have begun just before their commit, so the next one tells followers again.
  var lately: [UnmergedRow] = []
  /// Whether others changed the file without saying what.
  var isEverything = false
  /// The moment of the store at which was listened last; never zero, which is no moment.
  var moment = -1

  init(entityCount: Int) { keys = Array(repeating: [], count: entityCount) }

  var isEmpty: Bool { queue.isEmpty && !isEverything }

  func contains(_ key: Int64, _ entity: Int) -> Bool { keys[entity].contains(key) }

  /// Adds rows, those that wait already but once.
  mutating func add(_ rows: [UnmergedRow]) {
    lately += rows
    for row in rows where keys[row.entity].insert(row.key).inserted { queue.append(row) }
  }

  /// The next rows to take in; each stays until it is removed.
  func first(_ count: Int) -> [UnmergedRow] { Array(queue.prefix(count)) }

  /// Removes the first row, since it is taken in.
  mutating func removeFirst() {
    guard let row = queue.popFirst() else { return }
    keys[row.entity].remove(row.key)
    if queue.isEmpty {
      queue = []
      held = []
    }
  }
}

/// A row that others have committed.
struct UnmergedRow: Hashable {
  let entity: Int
  let key: Int64
}
