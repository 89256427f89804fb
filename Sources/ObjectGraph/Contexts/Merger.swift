// A family consists of all contexts of one root. The family learns which rows others have
// committed, and merges these rows later.
//
// A moment (read transaction) of the store shows rows that were committed since the last merge. When
// it begins, the store posts the ids of these rows. If a context has an object of such a row, the
// object replaces the row in results, as an unsaved object does. So no result mixes old objects with
// new rows.
//
// Rejected: merging at the first read. It would change objects while they are in use.

/// The merge of rows that others have committed into the contexts of one root.
final class Merger {
  private let session: StoreSession
  private let operation: Operation
  /// The rows that others have committed and that are not merged yet.
  private(set) var unmerged: Unmerged { didSet { hasUnmerged = !unmerged.isEmpty } }
  /// Whether ``unmerged`` has any rows. A read of a row asks only this flag and ``moment``, because
  /// each access to the large ``unmerged`` is checked for exclusivity (`by id`).
  private(set) var hasUnmerged = false
  /// The number of the moment (read transaction) in which the store was last asked for others'
  /// commits; -1 before that. It is never zero, because zero means that there is no moment.
  private(set) var moment = -1
  /// The rows of commits whose outcome is unknown. A row is removed when a merge or save reads it.
  var unknown: [RowKey: UnknownRow] = [:]

  init(_ session: StoreSession, _ operation: Operation, entityCount: Int) {
    self.session = session
    self.operation = operation
    unmerged = Unmerged(entityCount: entityCount)
  }

  /// Whether commits of others wait to be merged.
  var hasNews: Bool { hasUnmerged || !session.inbox.isEmpty }

  // MARK: Hearing

  /// Begins a moment (read transaction) if there is none, and learns which rows others have
  /// committed. Does nothing if the family has already done so in the current moment.
  @inline(__always)
  func hear(_ reader: any StoreReader, in context: ObjectContext) throws {
    if reader.moment != moment { try hearOfMoment(reader, context.root) }
  }

  private func hearOfMoment(_ reader: any StoreReader, _ root: ObjectContext) throws {
    try reader.begin()
    let begun = reader.moment
    tellAgain()
    if !session.inbox.isEmpty { queue(session.inbox.take(), inMoment: true, root) }
    // If the store has already ended the moment, the number is -1. No moment has this number, so
    // the caller reads again.
    moment = begun == 0 ? -1 : begun
  }

  /// Notifies followers again of the rows in `unmerged.lately`, of which the family learned in the
  /// last moment.
  ///
  /// That moment may have begun before the rows were committed, so followers may have read old
  /// rows.
  private func tellAgain() {
    let again = unmerged.lately
    guard !again.isEmpty else { return }
    unmerged.lately = []
    let waiting = again.filter { unmerged.contains($0.key, $0.entity) }
    operation.tellOfUnheld(waiting, unmerged.isSliced ? .followingAtOnce : .all)
  }

  /// Records rows that others have committed, until a merge updates the objects of the rows.
  ///
  /// Followers are notified of rows that have no object in their context, because they read such a
  /// row in its newest state. During a merge in slices, followers that follow in slices are left
  /// out, because each slice notifies them.
  ///
  /// If `inMoment` is true, the current moment may have begun before the commits. The followers are
  /// then notified again after the moment.
  private func queue(_ news: News, inMoment: Bool, _ root: ObjectContext) {
    var rows: [RowKey] = []
    for entity in root.model.layouts.indices {
      let keys = news.isEverything ? root.heldKeys(entity) : news.keys(of: entity)
      rows += keys.sorted().map { RowKey(entity: entity, key: $0) }
    }
    unmerged.add(rows)
    if inMoment { unmerged.lately += rows }
    // The objects are retained until the merge. If one were released earlier, a read could make an
    // object of the newer row.
    for (row, objects) in root.topmostHolders(of: rows) {
      unmerged.held += objects
      unmerged.hold(row.key, row.entity)
      guard news.deleted[row.entity]?.contains(row.key) ?? false, let object = objects.first else {
        continue
      }
      holdDeleted(object, row.entity, root)
    }
    operation.tellOfUnheld(rows, unmerged.isSliced ? .followingAtOnce : .all)
    if news.isEverything {
      unmerged.isEverything = true
      operation.tellEverything()
    }
  }

  /// Copies an object that others have deleted from a context below into the root, unless the root
  /// has it already. The copy is retained until the merge, so that both contexts show the object
  /// until then.
  private func holdDeleted(_ object: GraphObject, _ entity: Int, _ root: ObjectContext) {
    let table = root.table(entity)
    guard !object.isKnownDeletedAbove, object.phase != .inserted, table.object(object.key) == nil
    else { return }
    unmerged.held.append(root.copyAsFetched(object, in: table))
  }

  /// Updates the copies that contexts below have of an object, if the object was made from an
  /// unmerged row.
  ///
  /// The copies may show older values of the row, and a copy must never be older than its original.
  func didMake(_ object: GraphObject, _ entity: Int, in context: ObjectContext) {
    guard unmerged.contains(object.key, entity) else { return }
    unmerged.hold(object.key, entity)
    for child in context.children.living { child.follow(object, in: entity, nil) }
  }

  // MARK: Merging

  /// Merges at most `limit` rows. Returns whether more rows wait to be merged.
  func merge(upTo limit: Int, asksStore: Bool, _ root: ObjectContext) throws -> Bool {
    guard let store = session.store else { return false }
    session.endMoment()
    if unmerged.isEmpty {
      if asksStore { try root.naming(store.postForeignCommits) }
      guard !session.inbox.isEmpty else { return false }
      unmerged.beginSlice(of: limit)
      queue(session.inbox.take(), inMoment: false, root)
    } else {
      unmerged.beginSlice(of: limit)
    }
    try root.naming {
      try operation.run {
        tellAgain()
        try mergeRows(limit, root)
      }
    }
    return hasNews
  }

  /// Merges the commits of which the contexts know, and reads every object again.
  func refresh(_ root: ObjectContext) throws {
    queue(News(isEverything: true), inMoment: false, root)
    try root.naming { try operation.run { try mergeRows(.max, root) } }
  }

  private func mergeRows(_ limit: Int, _ root: ObjectContext) throws {
    defer { unmerged.endSlice() }
    if unmerged.isEverything {
      unmerged.isEverything = false
      operation.tellEverything()
    }
    var failure: (any Error)?
    let rows = unmerged.first(limit)
    let holders = root.topmostHolders(of: rows)
    operation.tellOfUnheld(rows, .followingInSlices)
    try root.forEachExpecting(rows.map { holders[$0] ?? [] }, objects: { $0 }) { objects in
      do {
        for object in objects { try mergeRow(object) }
      } catch let error as GraphError where error.isAboutOneRow {
        failure = failure ?? error
      }
      // After any other error, this row and the rows after it are left to the next merge.
      unmerged.removeFirst()
    }
    if let failure { throw failure }
  }

  /// Updates an object from its row in the store, and also the copies of the object in the contexts
  /// below. Edits are kept.
  func mergeRow(_ object: GraphObject) throws {
    guard case .table(let table) = object.home, let context = table.context, !object.wasNeverSaved
    else { return }
    if object.isListed { table.dropIndexes() }
    guard let reader = try session.currentReader() else { return }
    context.witness(object)
    let cells = session.cells
    let exists = try reader.row(object.key, of: table.entity, into: cells)
    if let (chain, written) = takeUnknownChain(from: object, table.entity, context) {
      let stored = exists ? try table.makeScratch(object.key, cells) : nil
      mergeOutcome(stored, by: chain, written)
      // The copies in the contexts below may have changed in other columns.
      operation.witness.forget()
      if table.isWatched { context.didChange(object) }
      return
    }
    switch object.phase {
    case .clean, .gone:
      guard exists || object.phase == .clean else { return }
      if exists { try table.refresh(object, cells) }
      object.phase = exists ? .clean : .gone
    case .inserted where !exists: return
    case .inserted where !object.hasBase: return
    case .lone: return
    case .inserted, .updated, .deleted:
      if exists {
        context.follow(try table.makeScratch(object.key, cells), by: object)
      } else {
        object.followDeletion()
      }
    }
    if table.isWatched { context.didChange(object) }
  }

  /// Merges the rows of saved objects that others have changed too. The root then shows the stored
  /// values.
  func mergeSavedRows(of objects: [GraphObject], _ root: ObjectContext) {
    if !session.inbox.isEmpty { queue(session.inbox.take(), inMoment: false, root) }
    guard !unmerged.isEmpty else { return }
    let changed = objects.filter {
      $0.row.map { unmerged.contains($0.key, $0.entity) } ?? false
    }
    // The next read after the save sees the newest state of the store.
    defer { session.endMoment() }
    try? root.forEachExpecting(changed, objects: { [$0] }) { object in
      do {
        try mergeRow(object)
      } catch {
        // The save itself has succeeded, so the error is only reported. The next merge reads the
        // row.
        root.report(error)
      }
    }
  }
}

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
