// Edits in one context, and undo.

extension Laws.World {
  typealias Change = Laws.Change
  typealias Edit = Laws.Edit

  /// Sets a property. A value that equals the base ends the edit, unless the property is contested.
  mutating func set(_ id: ID, _ property: Property, _ mine: Mine, in context: Int) {
    guard let row = shown(id, in: context) else { return }
    if row[property] == mine.value { return keepValue(of: id, property, in: context) }
    var edit = contexts[context].edits[id] ?? Edit()
    let before = edit.own.map { Mine(value: $0[property]) } ?? edit.cells[property]
    put(mine, property, of: id, &edit, in: context)
    let after = edit.own.map { Mine(value: $0[property]) } ?? edit.cells[property]
    contexts[context].edits[id] = edit.isClean ? nil : edit
    record(.set(id, property, before: before, after: after), in: context)
  }

  private func put(
    _ mine: Mine, _ property: Property, of id: ID, _ edit: inout Edit, in context: Int
  ) {
    if edit.status == .inserted {
      edit.own?[property] = mine.value
    } else if mine.value == base(id, in: context)?[property], edit.contested[property] == nil {
      edit.cells[property] = nil
    } else {
      edit.cells[property] = mine
    }
  }

  mutating func assign(_ id: ID, _ row: Row, in context: Int) {
    for property in row.properties { set(id, property, Mine(value: row[property]), in: context) }
  }

  mutating func insert(_ id: ID, _ row: Row, in context: Int) {
    contexts[context].drafts[id] = nil
    contexts[context].removed.remove(id)
    contexts[context].gone.remove(id)
    contexts[context].edits[id] = Edit(status: .inserted, own: row)
    record(.insert(id), in: context)
  }

  /// Deletes an object and applies the delete rules. Returns false if a rule denies the deletion.
  mutating func delete(_ id: ID, in context: Int) -> Bool {
    let rows = shown(in: context)
    var going: Set<ID> = [id]
    var next = [id]
    var emptied: [(ID, Property)] = []
    var deniers: [ID] = []
    while let owner = next.popLast() {
      for (member, row) in rows.sorted(by: { $0.key < $1.key }) {
        for property in row.properties where property.isReference && row[property] == owner {
          switch property.rule {
          case .cascade: if going.insert(member).inserted { next.append(member) }
          case .deny: deniers.append(member)
          case .nullify: emptied.append((member, property))
          case nil: break
          }
        }
      }
    }
    if deniers.contains(where: { isDenied(by: $0, going) }) { return false }
    for (member, property) in emptied where !going.contains(member) {
      set(member, property, Mine(value: 0, isByRule: true), in: context)
    }
    for id in going.sorted() { deleteAlone(id, in: context) }
    return true
  }

  mutating func deleteAlone(_ id: ID, in context: Int) {
    if let own = contexts[context].edits[id]?.own {
      takeOut(id, own, in: context)
      record(.remove(id), in: context)
    } else {
      record(.delete(id, buried: bury(id, in: context)), in: context)
    }
  }

  /// Marks an object as deleted. Its contests end, and are returned.
  private mutating func bury(_ id: ID, in context: Int) -> [Property: Int] {
    var edit = contexts[context].edits[id] ?? Edit()
    let buried = edit.contested
    edit.contested = [:]
    edit.status = .deleted
    contexts[context].edits[id] = edit
    return buried
  }

  mutating func takeOut(_ id: ID, _ own: Row, in context: Int) {
    contexts[context].drafts[id] = own
    contexts[context].removed.insert(id)
    contexts[context].edits[id] = nil
  }

  mutating func discard(in context: Int) {
    for (id, edit) in contexts[context].edits {
      if let own = edit.own { contexts[context].drafts[id] = own }
      contexts[context].edits[id] = nil
      if edit.own == nil, contexts[context].taken[id] == nil { contexts[context].gone.insert(id) }
    }
    forgetUndo(in: context)
    tellChildren(of: context)
  }
}

// MARK: - Undo

extension Laws.World {
  mutating func record(_ change: Change, in context: Int) {
    if contexts[context].recordsUndo { group?.append(change) }
  }

  /// Runs a closure, and records all its changes as one undo step.
  mutating func operate(in context: Int, _ body: (inout Laws.World) -> Void) {
    group = []
    body(&self)
    if let group, !group.isEmpty {
      contexts[context].done.append(group)
      contexts[context].undone = []
    }
    group = nil
    tellChildren(of: context)
  }

  mutating func forgetUndo(in context: Int) {
    contexts[context].done = []
    contexts[context].undone = []
    contexts[context].ended = [:]
  }

  mutating func undo(in context: Int) {
    guard let step = contexts[context].done.popLast() else { return }
    for change in step.reversed() { takeBack(change, in: context) }
    contexts[context].undone.append(step)
    tellChildren(of: context)
  }

  mutating func redo(in context: Int) {
    guard let step = contexts[context].undone.popLast() else { return }
    let redone = step.map { doAgain($0, in: context) }
    contexts[context].done.append(redone)
    tellChildren(of: context)
  }

  private mutating func takeBack(_ change: Change, in context: Int) {
    switch change {
    case .set(let id, let property, let before, _): restore(id, property, before, in: context)
    case .insert(let id):
      if let own = contexts[context].edits[id]?.own { takeOut(id, own, in: context) }
    case .delete(let id, let buried): bringBack(id, buried, in: context)
    case .remove(let id): putIn(id, in: context)
    case .revive(let id):
      if shown(id, in: context) != nil { _ = bury(id, in: context) }
    }
  }

  /// Makes a change again. Returns the change with the contests that end with it.
  private mutating func doAgain(_ change: Change, in context: Int) -> Change {
    switch change {
    case .set(let id, let property, _, let after): restore(id, property, after, in: context)
    case .insert(let id): putIn(id, in: context)
    case .delete(let id, _):
      if shown(id, in: context) != nil { return .delete(id, buried: bury(id, in: context)) }
    case .remove(let id):
      if let own = contexts[context].edits[id]?.own { takeOut(id, own, in: context) }
    case .revive(let id): bringBack(id, [:], in: context)
    }
    return change
  }

  private mutating func putIn(_ id: ID, in context: Int) {
    guard let own = contexts[context].drafts.removeValue(forKey: id) else { return }
    contexts[context].removed.remove(id)
    contexts[context].edits[id] = Edit(status: .inserted, own: own)
  }

  private mutating func bringBack(_ id: ID, _ buried: [Property: Int], in context: Int) {
    guard var edit = contexts[context].edits[id], edit.status == .deleted else { return }
    edit.status = .changed
    edit.isDeletionContested = false
    edit.contested.merge(buried.filter { edit.cells[$0.key] != nil }) { mine, _ in mine }
    contexts[context].edits[id] = edit.isClean ? nil : edit
    if shown(id, in: context) == nil { contexts[context].gone.insert(id) }
  }

  /// Restores a property's edit, or ends the edit if `mine` is nil. Without an edit, the property
  /// has the base's value.
  private mutating func restore(
    _ id: ID, _ property: Property, _ mine: Mine?, in context: Int
  ) {
    guard shown(id, in: context) != nil else { return }
    var edit = contexts[context].edits[id] ?? Edit()
    if let mine {
      put(mine, property, of: id, &edit, in: context)
    } else {
      edit.cells[property] = nil
      if let began = edit.contested.removeValue(forKey: property) {
        contexts[context].ended[id, default: [:]][property] = began
      }
    }
    contexts[context].edits[id] = edit.isClean ? nil : edit
    if shown(id, in: context) == nil { contexts[context].gone.insert(id) }
  }
}
