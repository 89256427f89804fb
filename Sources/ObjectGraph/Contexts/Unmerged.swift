/// The rows that others have committed and that a family (all contexts of one root) has not merged
/// yet.
///
/// If a context has an object of such a row, the object keeps its value until the merge. Filters,
/// orders and figures in that context and in the contexts below use this value. Rows without an
/// object are read in their newest state.
struct Unmerged {
  /// The rows to merge, in order.
  private var queue: ArraySlice<RowKey> = []
  /// The ids of the queued rows of each entity.
  private(set) var keys: [Set<Int64>]
  /// The ids of queued rows that have had an object in any context since they were queued.
  private(set) var heldKeys: [Set<Int64>]
  /// The objects of queued rows, retained until the merge.
  var held: [GraphObject] = []
  /// The rows of which the family has learned during the current moment (read transaction).
  ///
  /// That moment may have begun just before the rows were committed. The next moment or merge
  /// therefore notifies followers of these rows again. Otherwise a list might never show one of
  /// them.
  var lately: [RowKey] = []
  /// Whether a merge in slices of at most 500 rows is under way.
  private(set) var isSliced = false
  /// Whether others changed the store and the store did not tell which rows.
  var isEverything = false
  /// The number of the moment (read transaction) in which the store was last asked for others'
  /// commits; -1 before that. It is never zero, because zero means that there is no moment.
  var moment = -1

  init(entityCount: Int) {
    keys = Array(repeating: [], count: entityCount)
    heldKeys = keys
  }

  var isEmpty: Bool { queue.isEmpty && !isEverything }

  func contains(_ key: Int64, _ entity: Int) -> Bool { keys[entity].contains(key) }

  /// Adds rows to the queue, except rows that are already queued.
  mutating func add(_ rows: [RowKey]) {
    for row in rows where keys[row.entity].insert(row.key).inserted { queue.append(row) }
  }

  /// Records that a context has an object of a queued row.
  mutating func hold(_ key: Int64, _ entity: Int) { heldKeys[entity].insert(key) }

  /// Returns the next rows to merge, at most `count`. They stay queued.
  func first(_ count: Int) -> [RowKey] { Array(queue.prefix(count)) }

  /// Begins a merge of at most `count` rows.
  mutating func beginSlice(of count: Int) { isSliced = count < .max }

  /// Removes the first row from the queue after it was merged.
  mutating func removeFirst() {
    guard let row = queue.popFirst() else { return }
    keys[row.entity].remove(row.key)
    heldKeys[row.entity].remove(row.key)
    if queue.isEmpty {
      queue = []
      held = []
    }
  }

  /// Ends a slice of a merge. If no rows are queued any more, the whole merge ends.
  mutating func endSlice() {
    if queue.isEmpty { isSliced = false }
  }
}

/// The entity and id of a row.
struct RowKey: Hashable {
  let entity: Int
  let key: Int64
}

extension GraphObject {
  /// The entity and id of the object's row; nil if the object is in no context.
  var row: RowKey? {
    if case .table(let table) = home { RowKey(entity: table.entity, key: key) } else { nil }
  }
}
