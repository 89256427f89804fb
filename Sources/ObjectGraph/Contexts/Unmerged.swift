/// The rows that others have committed and that a family of contexts has not merged yet.
///
/// If a context has an object of such a row, the object keeps its value until the merge. Filters,
/// orders and figures in that context and those below it use the kept value. All other rows are
/// read in their newest state.
struct Unmerged {
  /// The rows to merge, in order.
  private var queue: ArraySlice<UnmergedRow> = []
  /// The ids of the queued rows of each entity.
  private(set) var keys: [Set<Int64>]
  /// The ids of queued rows that have had an object in some context since they were queued.
  private(set) var heldKeys: [Set<Int64>]
  /// The objects of queued rows, retained until the merge.
  var held: [GraphObject] = []
  /// The rows of commits that the family has learned of during the current moment (read
  /// transaction).
  ///
  /// That moment may have begun just before the commits. The next moment or merge therefore
  /// notifies followers of these rows again, because a list might otherwise never show a row.
  var lately: [UnmergedRow] = []
  /// Whether a merge in slices of at most 200 rows is under way.
  private(set) var isSliced = false
  /// Whether others changed the store without telling which rows.
  var isEverything = false
  /// The number of the moment (read transaction) in which commits were last asked for. It is never
  /// zero, because zero stands for no moment.
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

  /// Ends a merge of some rows. The whole merge is over if no rows are queued.
  mutating func endSlice() {
    if queue.isEmpty { isSliced = false }
  }
}

/// A row that others have committed, named by its entity and id.
struct UnmergedRow: Hashable {
  let entity: Int
  let key: Int64
}
