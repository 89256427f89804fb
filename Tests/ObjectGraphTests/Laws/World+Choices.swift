// Each function decides a case for which the documentation allows two readings.

extension Laws.World {
  /// Tells whether a deletion has nothing to save, because the parent or the store has deleted the
  /// object, too. If the deletion there is undone, the deletion here has to be saved again.
  func isDeletedTwice(_ id: ID, in context: Int) -> Bool {
    contexts[context].taken[id] == nil
  }

  /// Tells whether delete rules emptied a reference on both sides: here, and in the parent or the
  /// store. The target is deleted on both sides, but the other deletion may wait for a merge.
  func isEmptied(
    _ property: Property, of id: ID, in context: Int, _ base: Row, _ mine: Mine, theirs: Row
  ) -> Bool {
    property.isReference && mine.isByRule && mine.value == 0 && theirs[property] == 0
      && base[property] != 0 && contexts[context].edits[base[property]]?.status == .deleted
      && isDeletedAbove(base[property], of: context)
  }

  /// Tells whether an object is deleted in a context above or in the store.
  private func isDeletedAbove(_ id: ID, of context: Int) -> Bool {
    guard let parent = contexts[context].parent else { return store[id] == nil }
    let edit = contexts[parent].edits[id]
    if shown(id, in: parent) == nil || edit?.lost != nil { return true }
    return edit?.status == .inserted ? false : isDeletedAbove(id, of: parent)
  }

  /// Tells whether a member denies the deletion of its owner. A member that is deleted together
  /// with the owner does not deny it.
  func isDenied(by member: ID, _ going: Set<ID>) -> Bool { !going.contains(member) }

  /// Records an undo step for a property that was set to the value that it already had. This is no
  /// edit.
  mutating func keepValue(of id: ID, _ property: Property, in context: Int) {
    let mine =
      contexts[context].edits[id]?.own.map { Mine(value: $0[property]) }
      ?? contexts[context].edits[id]?.cells[property]
    record(.set(id, property, before: mine, after: mine), in: context)
  }

  /// Returns the edit of an object that a child's save has restored here, after the object is also
  /// restored above. Properties that differ are then edited, but not contested.
  func meetAgain(_ edit: Edit, _ new: Row) -> Edit {
    guard let own = edit.own else { return edit }
    var met = Edit()
    for property in own.properties where own[property] != new[property] {
      met.cells[property] = Mine(value: own[property])
    }
    return met
  }

  /// Removes the drafts of new objects that were deleted or undone, because these objects cannot be
  /// inserted again after a save. The drafts of discarded objects stay.
  mutating func forgetRemoved(in context: Int) {
    for id in contexts[context].removed { contexts[context].drafts[id] = nil }
    contexts[context].unclear.formUnion(contexts[context].removed)
    contexts[context].removed = []
  }

  /// Returns the contests that the next redo could begin again.
  func contests(ofRedoIn context: Int) -> [(id: ID, property: Property, mine: Mine, began: Int)] {
    (contexts[context].undone.last ?? []).compactMap { change in
      guard case .set(let id, let property, _, let mine?) = change,
        let began = contexts[context].ended[id]?[property]
      else { return nil }
      return (id, property, mine, began)
    }
  }

  /// Returns the possible worlds after a redo: without the contests that the undo ended, and with
  /// them. The documentation does not say whether a redo restores a contest.
  func contesting(
    _ contests: [(id: ID, property: Property, mine: Mine, began: Int)], in context: Int,
    _ next: Laws.Possibility
  ) -> [Laws.Possibility] {
    var contested = next
    for (id, property, mine, began) in contests
    where next.world.shown(id, in: context) != nil
      && next.world.contexts[context].edits[id]?.own == nil
    {
      contested.world.contexts[context].edits[id, default: Edit()].cells[property] = mine
      contested.world.contexts[context].edits[id]?.contested[property] = began
    }
    contested.world.tellChildren(of: context)
    return [next, contested].map { next in
      var next = next
      next.world.readNewRows()
      return next
    }
  }
}
