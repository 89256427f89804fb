// These functions pass changes of the store and of parents on to contexts.

extension Laws.World {
  typealias Property = Laws.Property
  typealias Mine = Laws.Mine

  /// Updates a context with the current row of an object in the parent or the store; nil means that
  /// the object is deleted there.
  mutating func learn(_ id: ID, in context: Int, _ new: Row?) {
    let old = contexts[context].taken[id]
    guard old != new else { return }
    contexts[context].taken[id] = new
    if new != nil { contexts[context].gone.remove(id) }
    defer {
      if shown(id, in: context) == nil, contexts[context].edits[id] == nil {
        contexts[context].gone.insert(id)
      }
    }
    guard var edit = contexts[context].edits[id] else { return }
    switch (old ?? edit.lost, new) {
    case (let base?, let new?):
      if edit.status == .deleted, contestsDeletion(of: id, edit, in: context, base, new) {
        edit.isDeletionContested = true
      }
      for property in base.properties where base[property] != new[property] {
        guard let mine = edit.cells[property], edit.contested[property] == nil else { continue }
        if isEmptied(property, of: id, in: context, base, mine, theirs: new) {
          edit.cells[property] = nil
        } else {
          edit.contested[property] = base[property]
        }
      }
      edit.lost = nil
    case (let base?, nil):
      edit.lost = base
      for property in edit.cells.keys
      where edit.status == .changed && edit.contested[property] == nil {
        edit.contested[property] = base[property]
      }
    case (nil, let new?):
      edit = meetAgain(edit, new)
    case (nil, nil):
      break
    }
    contexts[context].edits[id] = edit.isClean ? nil : edit
  }

  /// Tells whether changes in the parent or the store contest the deletion of an object here.
  /// References that delete rules emptied on both sides contest nothing.
  func contestsDeletion(
    of id: ID, _ edit: Laws.Edit, in context: Int, _ base: Row, _ theirs: Row
  ) -> Bool {
    base.properties.contains { property in
      guard base[property] != theirs[property] else { return false }
      guard let mine = edit.cells[property] else { return true }
      return !isEmptied(property, of: id, in: context, base, mine, theirs: theirs)
    }
  }

  /// Updates all contexts below a context with the rows that it shows.
  mutating func tellChildren(of context: Int) {
    let rows = shown(in: context)
    for child in children(of: context) {
      for id in Set(rows.keys).union(contexts[child].taken.keys).sorted() {
        learn(id, in: child, rows[id])
      }
      tellChildren(of: child)
    }
  }

  /// Merges some rows of a root's mailbox. This ends the root's moment.
  mutating func merge(_ ids: Set<ID>, in root: Int) {
    for id in ids.sorted() {
      learn(id, in: root, store[id])
    }
    contexts[root].waiting.subtract(ids)
    contexts[root].view = store
    tellChildren(of: root)
  }

  /// Returns the objects in a root's mailbox that differ from the rows that the root has.
  func relevant(_ root: Int) -> Set<ID> {
    contexts[root].waiting.filter { contexts[root].taken[$0] != store[$0] }
  }

  /// Adds to each root the rows of its moment that it has not read yet.
  mutating func readNewRows() {
    for root in contexts.indices where contexts[root].parent == nil {
      for (id, row) in contexts[root].view
      where contexts[root].taken[id] == nil && contexts[root].edits[id] == nil
        && !contexts[root].gone.contains(id)
      {
        contexts[root].taken[id] = row
      }
      tellChildren(of: root)
    }
  }
}
