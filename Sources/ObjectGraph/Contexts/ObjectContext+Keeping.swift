package import Foundation

extension ObjectContext {
  /// The id by which receipts name this context, and the number of its saves; nil without a call of
  /// ``keepEdits(onChange:)``. The id is drawn at random when the first archive or save needs it.
  package var keeping: (id: UUID, count: Int64)? { ledger?.keeping }

  /// Whether the unsaved changes of this context are kept.
  package var keepsEdits: Bool { ledger?.onChange != nil }

  /// Makes saves write receipts for this context from now on. A closure hears, after each operation,
  /// that the unsaved changes may be others. A second call replaces the closure.
  package func keepEdits(onChange: @escaping () -> Void) {
    let ledger = makeLedger()
    let isKept = ledger.onChange != nil
    ledger.onChange = onChange
    if !isKept { followByLedger() }
  }

  /// Notes that a later process brings the present changes back. So it is no fault if this context ends
  /// with them.
  package func handOverEdits() { ledger?.isHandedOver = true }

  private func makeLedger() -> SaveLedger {
    if let ledger { return ledger }
    let made = SaveLedger { [weak self] key, entity in self?.held(key, entity)?.isListed ?? false }
    setLedger(made)
    return made
  }

  /// Whether a save has unsaved changes of which receipts must tell.
  var needsReceipts: Bool { ledger != nil && hasUnsavedChanges }

  /// Returns the counts that a save of this context hands on. `hadChanges` is ``needsReceipts`` before
  /// the save.
  func nextCounts(_ hadChanges: Bool) -> [UUID: Int64] {
    guard let ledger, hadChanges || !ledger.handed.isEmpty else { return [:] }
    return ledger.next()
  }

  /// Notes that this context was saved, with the given counts.
  func didSave(_ counts: [UUID: Int64]) {
    guard let ledger, !counts.isEmpty else { return }
    ledger.didSave(counts)
    didEmptyChanges()
  }

  /// Makes the end of the operation tell that there are no unsaved changes any more, if the context is
  /// kept.
  func didEmptyChanges() {
    guard let ledger, ledger.onChange != nil else { return }
    ledger.markEmptied()
    family.operation.queueEnd(for: ledger)
  }

  /// Takes the counts of a context that was saved into this one.
  func takeCounts(_ counts: [UUID: Int64]) {
    if !counts.isEmpty, session.store != nil { makeLedger().hand(counts) }
  }

  /// Returns the counts of the store's last receipts with some ids. An id without a receipt has none.
  package func receipts(of ids: [UUID]) throws -> [UUID: Int64] {
    try naming { try session.store?.receipts(of: ids) ?? [:] }
  }

  /// Returns the greatest number of saves of a kept context that a context above this one has; zero if
  /// none has any.
  private func handedCount(of id: UUID) -> Int64 {
    sequence(first: self) { $0.parent }.dropFirst().compactMap { $0.ledger?.handed[id] }.max() ?? 0
  }

  /// The unsaved changes of this context, by entity and then in the order of ids.
  package var keptEdits: [KeptEdit] {
    changes.lists.enumerated().flatMap { entity, objects in
      objects.compactMap { KeptEdit(of: $0, entity) }.sorted { $0.key < $1.key }
    }
  }
}

/// The result of replaying a context's unsaved changes.
package enum ReplayOutcome {
  /// The changes were saved before the process that kept them has ended, so none was replayed.
  case saved
  /// The changes were replayed, except new objects whose ids exist already.
  case replayed(leftOut: [KeptEdit])
}

extension ObjectContext {
  /// Replays unsaved changes that were kept for a context with the given id and number of saves, as
  /// one operation. If they were saved since, replays none. `receipts` are those that the caller has
  /// read for several contexts; without them, this function reads the one of the id.
  ///
  /// Each change is judged by the present row, as the laws of an edit say: an edited property whose
  /// value above is no longer its base is contested. A property that is edited here already stays as
  /// it is. The undo history ends.
  ///
  /// This context takes over the id, so that a later commit writes a receipt for it. It does not if
  /// another context of this process has the id, because the same archive was restored twice.
  ///
  /// - Complexity: Linear in the number of changes, with one query for each 500 objects of an entity.
  package func replay(
    _ edits: [KeptEdit], of id: UUID, count: Int64, receipts: [UUID: Int64]? = nil
  ) throws -> ReplayOutcome {
    let saved = max(handedCount(of: id), try (receipts ?? self.receipts(of: [id]))[id] ?? 0)
    guard saved > count else {
      return .replayed(leftOut: try replay(edits) { ledger?.take(id, count) })
    }
    ledger?.take(id, saved)
    return .saved
  }

  /// Replays changes. The closure is called when nothing can fail any more. Returns the new objects
  /// that were left out, because their ids exist already.
  private func replay(_ edits: [KeptEdit], _ willReplay: () -> Void) throws -> [KeptEdit] {
    try permitChanges("bring unsaved changes back", self)
    // All objects are read first, in one moment, so that an error replays nothing.
    let objects = try reading { try self.objects(of: edits) }
    willReplay()
    undoLog?.forget()
    if edits.contains(where: { !$0.emptied.isEmpty }) { family.hasEmptied = true }
    let replay = Replay(edits, objects, in: self)
    return family.operation.run { replay.run() }
  }

  /// Returns the object of each change; nil if it does not exist.
  private func objects(of edits: [KeptEdit]) throws -> [GraphObject?] {
    var objects: [GraphObject?] = []
    var unknown: [Int: [Int]] = [:]
    objects.reserveCapacity(edits.count)
    var table: AnyTable?
    for (place, edit) in edits.enumerated() {
      let own = if let table, table.entity == edit.entity { table } else { self.table(edit.entity) }
      table = own
      let known = knownObject(edit.key, in: own)
      if known == nil { unknown[edit.entity, default: []].append(place) }
      objects.append(known ?? nil)
    }
    for (entity, places) in unknown {
      let found = try graphObjects(places.map { edits[$0].key }, of: entity)
      for place in places { objects[place] = found[edits[place].key] }
    }
    return objects
  }
}

/// One replay of unsaved changes that were kept in an earlier process.
private struct Replay {
  let context: ObjectContext
  let edits: [KeptEdit]
  /// The object of each change; nil if it does not exist.
  let objects: [GraphObject?]
  /// The objects that are deleted both in the changes and above, so that no object has to be deleted.
  private let deletedTwice: Set<RowKey>

  init(_ edits: [KeptEdit], _ objects: [GraphObject?], in context: ObjectContext) {
    (self.edits, self.objects, self.context) = (edits, objects, context)
    var deletedTwice: Set<RowKey> = []
    for (edit, object) in zip(edits, objects) where edit.change == .deleted && object == nil {
      // What this process has deleted can exist above.
      guard context.held(edit.key, edit.entity)?.phase != .deleted else { continue }
      deletedTwice.insert(RowKey(entity: edit.entity, key: edit.key))
    }
    self.deletedTwice = deletedTwice
  }

  /// Replays the changes. Returns the new objects whose ids exist already.
  func run() -> [KeptEdit] {
    context.dropIndexes()
    return zip(edits, objects).compactMap { replay($0, $1) ? nil : $0 }
  }

  /// Replays one change. Returns false if the id of a new object exists already.
  private func replay(_ edit: KeptEdit, _ object: GraphObject?) -> Bool {
    let table = context.table(edit.entity)
    guard let object else {
      return replay(edit, withoutObjectIn: table)
    }
    if edit.change == .inserted {
      // Only another object has taken the id. An object that is still unsaved here is the same one.
      return object.phase == .inserted && object.isNew
    }
    // An edit that was made in this process wins.
    if edit.change == .deleted, object.phase != .clean { return true }
    context.witness(object)
    func isDeleted(_ column: Int, _ key: Int64) -> Bool {
      let target = object.layout.columns[column].target.flatMap(context.model.index(of:))
      return target.map { deletedTwice.contains(RowKey(entity: $0, key: key)) } ?? false
        || context.isDeletedOnBothSides(column, key, of: object)
    }
    if edit.change == .deleted {
      object.replayDeletion(edit, isDeleted: isDeleted)
    } else {
      object.replay(edit, isDeleted: isDeleted)
    }
    finish(object, table)
    return true
  }

  /// Replays a change of an object that does not exist above, or is deleted here.
  private func replay(_ edit: KeptEdit, withoutObjectIn table: AnyTable) -> Bool {
    let known = table.object(edit.key)
    if let known, known.phase != .gone { return edit.change != .inserted }
    switch edit.change {
    case .deleted: return true
    case .inserted where context.isTaken(edit.key, edit.entity): return false
    // With edits only in properties that are never contested, the object is deleted here, too.
    case .updated where edit.edited.intersection(edit.value.layout.contestable).isEmpty: return true
    case .inserted, .updated, .insertedAgain: break
    }
    let object: GraphObject
    if let known {
      // The context has learned already that the object was deleted above.
      object = known
      object.exchange(with: edit.value.copyValue())
    } else {
      object = edit.value.makeGraphObject()
      table.register(object, .gone)
    }
    object.replayWithoutRow(edit)
    finish(object, table)
    return true
  }

  private func finish(_ object: GraphObject, _ table: AnyTable) {
    if object.covers { context.noteChange(object, in: table) }
    if table.isWatched { context.didChange(object) }
  }
}
