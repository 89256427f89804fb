import ObjectGraph

extension Laws {
  /// The objects that a list had both before and after a step.
  struct KeptRows {
    let request: Int
    let ids: Set<ID>

    /// Tells whether the list retained an object during the whole step. If the object's row does
    /// not match the request, the list may have released the object and read it again.
    func holds(_ id: ID, in rows: [ID: Row]) -> Bool {
      guard ids.contains(id), let row = rows[id] else { return false }
      return Laws.requests[request].admits(id, row, rows)
    }
  }
}

extension Laws.World {
  /// Returns the world after contexts have released the objects that nothing retains. The library
  /// reads the row of such an object again when it needs the object. If it shows the row of the
  /// root's moment, so does the returned world.
  func droppingUnheld(
    _ sights: [Laws.Sight], listed: [[Laws.KeptRows]], _ before: Laws.World, _ keepsEdited: Bool
  ) -> Laws.World {
    var world = self
    world.dropUnheld(sights, listed: listed, before, keepsEdited)
    return world
  }

  private mutating func dropUnheld(
    _ sights: [Laws.Sight], listed: [[Laws.KeptRows]], _ before: Laws.World, _ keepsEdited: Bool
  ) {
    for root in contexts.indices where contexts[root].parent == nil {
      let shown = shown(in: root)
      let ids = Set(contexts[root].taken.keys).union(contexts[root].view.keys)
      for id in ids where contexts[root].taken[id] != contexts[root].view[id] {
        let isHeld =
          (contexts[root].edits[id] != nil
            && (keepsEdited || before.contexts[root].edits[id] != nil))
          || listed[root].contains { $0.holds(id, in: shown) }
        if isHeld || sights[root].rows[id] != contexts[root].view[id] { continue }
        contexts[root].taken[id] = contexts[root].view[id]
        setBack(id, in: root)
      }
      tellChildren(of: root)
    }
  }

  /// Removes the edits of an object that equal the row which was read again.
  private mutating func setBack(_ id: ID, in context: Int) {
    guard var edit = contexts[context].edits[id], let row = contexts[context].taken[id] else {
      return
    }
    for (property, mine) in edit.cells
    where edit.contested[property] == nil && mine.value == row[property] {
      edit.cells[property] = nil
    }
    contexts[context].edits[id] = edit.isClean ? nil : edit
  }

  /// Returns a difference between the library and this world; nil if there is none.
  func difference(from sights: [Laws.Sight]) -> String? {
    for (index, sight) in sights.enumerated() {
      let name = Laws.contextNames[index]
      let rows = shown(in: index)
      for id in Set(rows.keys).union(sight.rows.keys).sorted() {
        let object = "\(name).object\(id)"
        if rows[id] != sight.rows[id] {
          return "\(object) shows \(Laws.text(sight.rows[id])), not \(Laws.text(rows[id]))"
        }
        guard let changes = sight.changes[id] else { continue }
        let kind = kind(id, in: index)
        if changes.kind != kind { return "\(object).changes are \(changes.kind), not \(kind)" }
        if let properties = changedProperties(id, in: index), properties != changes.properties {
          return "\(object).changes are of \(changes.properties), not \(properties)"
        }
      }
      for (id, isDeleted) in sight.hidden {
        if contexts[index].drafts[id] != nil || contexts[index].unclear.contains(id) { continue }
        if !isDeleted { return "\(name).object\(id).isDeleted is false" }
        let kind = kind(id, in: index)
        if let shown = sight.hiddenChanges[id], shown != kind {
          return "the deleted \(name).object\(id).changes are \(shown), not \(kind)"
        }
      }
      if sight.hasUnsavedChanges != hasUnsavedChanges(index) {
        return "\(name).hasUnsavedChanges is \(sight.hasUnsavedChanges)"
      }
      if sight.hasUnsavedChangesBelow != hasUnsavedChangesBelow(index) {
        return "\(name).hasUnsavedChangesBelow is \(sight.hasUnsavedChangesBelow)"
      }
    }
    return nil
  }

  /// Returns the kind of the change that the next save writes for an object.
  private func kind(_ id: ID, in context: Int) -> Changes.ChangeKind {
    guard isChanged(id, in: context), let edit = contexts[context].edits[id] else { return .none }
    return switch edit.status {
    case .changed: .updated
    case .inserted: .inserted
    case .deleted: .deleted
    }
  }
}
