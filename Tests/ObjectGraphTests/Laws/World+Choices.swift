// Where the documentation leaves two readings open: one function each.

extension Laws.World {
  /// Tells whether a deletion has nothing to do because above deleted the object too. The deletion
  /// is an edit that stays: if above takes its own back, this one counts again.
  func isDeletedTwice(_ id: ID, in context: Int) -> Bool {
    contexts[context].taken[id] == nil
  }

  /// Tells whether a delete rule emptied a reference on both sides: here by a rule, above it is
  /// nil, and its target is gone on both sides, though its deletion may wait for a merge.
  func isEmptied(
    _ property: Property, of id: ID, in context: Int, _ base: Row, _ mine: Mine, theirs: Row
  ) -> Bool {
    property.isReference && mine.isByRule && mine.value == 0 && theirs[property] == 0
      && base[property] != 0 && shown(base[property], in: context) == nil
      && isDeletedAbove(base[property], of: context)
  }

  /// Tells whether a context above or others have deleted an object.
  private func isDeletedAbove(_ id: ID, of context: Int) -> Bool {
    guard let parent = contexts[context].parent else { return store[id] == nil }
    let edit = contexts[parent].edits[id]
    if shown(id, in: parent) == nil || edit?.lost != nil { return true }
    return edit?.status == .inserted ? false : isDeletedAbove(id, of: parent)
  }

  /// Tells whether a member denies the deletion of its owner; one that goes by another rule does
  /// not.
  func isDenied(by member: ID, _ going: Set<ID>) -> Bool { !going.contains(member) }

  /// Records a set to the value that is shown, which is no edit, but a step of undo.
  mutating func keepValue(of id: ID, _ property: Property, in context: Int) {
    let mine =
      contexts[context].edits[id]?.own.map { Mine(value: $0[property]) }
      ?? contexts[context].edits[id]?.cells[property]
    record(.set(id, property, before: mine, after: mine), in: context)
  }

  /// Returns the edit of an object that a save from below brought back and that above takes back
  /// too. It is an object of above again; differing properties are edited and not contested.
  func meetAgain(_ edit: Edit, _ new: Row) -> Edit {
    guard let own = edit.own else { return edit }
    var met = Edit()
    for property in own.properties where own[property] != new[property] {
      met.cells[property] = Mine(value: own[property])
    }
    return met
  }

  /// Forgets new objects that were deleted, or whose insertion was undone: after a save they cannot
  /// be inserted again. Those that a discard made drafts can.
  mutating func forgetRemoved(in context: Int) {
    for id in contexts[context].removed { contexts[context].drafts[id] = nil }
    contexts[context].unclear.formUnion(contexts[context].removed)
    contexts[context].removed = []
  }

  /// Returns the contests that the next redo may begin again.
  func contests(ofRedoIn context: Int) -> [(id: ID, property: Property, mine: Mine, began: Int)] {
    (contexts[context].undone.last ?? []).compactMap { change in
      guard case .set(let id, let property, _, let mine?) = change,
        let began = contexts[context].ended[id]?[property]
      else { return nil }
      return (id, property, mine, began)
    }
  }

  /// Returns the redo with and without the contests that its undo ended: the documentation says
  /// only how contests end.
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
