// A save passes changes one level up, or it fails and changes nothing.

extension Laws.World {
  typealias Clash = Laws.Clash
  typealias Outcome = Laws.Outcome
  typealias Decision = Laws.Decision

  /// Returns the conflicts of the next save.
  func clashes(in context: Int) -> [Clash] {
    contexts[context].edits.sorted { $0.key < $1.key }.compactMap { id, edit in
      guard edit.status != .inserted, let base = base(id, in: context) else { return nil }
      let mine = shown(id, in: context)
      guard let theirs = above(id, of: context) else {
        return mine.map { Clash(id: id, properties: [], base: base, mine: $0, theirs: nil) }
      }
      guard let mine else {
        let isClash =
          edit.isDeletionContested
          || contestsDeletion(of: id, edit, in: context, base, theirs)
        return isClash ? Clash(id: id, properties: [], base: base, mine: nil, theirs: theirs) : nil
      }
      let properties = mine.properties.filter { property in
        guard let cell = edit.cells[property] else { return false }
        if edit.contested[property] != nil { return true }
        return base[property] != theirs[property]
          && !isEmptied(property, of: id, in: context, base, cell, theirs: theirs)
      }
      if properties.isEmpty { return nil }
      var began = base
      for (property, value) in edit.contested { began[property] = value }
      return Clash(id: id, properties: properties, base: began, mine: mine, theirs: theirs)
    }
  }

  /// Returns the decision of each conflict; nil if the save fails.
  private func decisions(_ clashes: [Clash], in context: Int) -> [ID: Decision]? {
    var decisions: [ID: Decision] = [:]
    for clash in clashes {
      switch contexts[context].policy {
      case .error, .refuse: return nil
      case .mine: decisions[clash.id] = .mine
      case .theirs: decisions[clash.id] = .theirs
      case .resolve: decisions[clash.id] = Laws.decide(clash)
      }
    }
    return decisions
  }

  /// Returns the row that a changed object has in the parent or the store after the save.
  private func result(
    _ id: ID, _ edit: Laws.Edit, _ clash: Clash?, _ decision: Decision?, in context: Int
  ) -> Row? {
    let theirs = above(id, of: context)
    if case .value(let row)? = decision { return row }
    if clash?.properties.isEmpty == true, decision == .theirs { return theirs }
    guard let mine = shown(id, in: context) else { return nil }
    guard edit.status == .changed, var row = theirs else { return mine }
    for (property, cell) in edit.cells
    where decision == .mine || clash?.properties.contains(property) != true {
      row[property] = cell.value
    }
    return row
  }

  mutating func save(_ context: Int) -> Outcome {
    let clashes = clashes(in: context)
    guard let decisions = decisions(clashes, in: context) else {
      var outcome = Outcome(failures: [.conflict])
      if contexts[context].policy == .refuse { outcome.failures = [.refused] }
      for clash in clashes { outcome.reported[clash.id] = clash.properties }
      if contexts[context].parent == nil, refersToNothing(in: context) {
        outcome.failures.insert(.dangling)
      }
      return outcome
    }
    var results: [ID: Row?] = [:]
    for (id, edit) in contexts[context].edits {
      let clash = clashes.first { $0.id == id }
      results[id] = .some(result(id, edit, clash, decisions[id], in: context))
    }
    var outcome = Outcome()
    if let parent = contexts[context].parent {
      hand(results, decisions, from: context, to: parent)
    } else {
      outcome.failures = commit(results, from: context)
    }
    if contexts[context].policy == .resolve, outcome.failures.isEmpty {
      outcome.asked = Set(clashes)
    }
    return outcome
  }

  /// Saves a context and all contexts above it, or nothing. Rows with which the root's save is in
  /// conflict are merged first, so that the highest context that has edited a property decides.
  mutating func saveAll(_ context: Int) -> Outcome {
    guard contexts[context].parent != nil else { return save(context) }
    let root = root(of: context)
    var below = [context]
    while let parent = below.last.flatMap({ contexts[$0].parent }), parent != root {
      below.append(parent)
    }
    while true {
      var next = self
      var outcome = Outcome()
      for level in below {
        outcome = next.save(level)
        if !outcome.failures.isEmpty { return outcome }
      }
      let unknown = next.clashes(in: root).map(\.id).filter {
        next.store[$0] != next.contexts[root].taken[$0]
      }
      guard unknown.isEmpty else {
        merge(Set(unknown), in: root)
        continue
      }
      outcome = next.save(root)
      if outcome.failures.isEmpty { self = next }
      // Closures of several contexts were called, but only those of a single context are compared.
      outcome.asked = nil
      return outcome
    }
  }

  /// Updates the edits after a failed save, with the rows that the save compared. A context may do
  /// this, but need not.
  mutating func learnFromFailure(_ clashes: [Clash], in context: Int) {
    for clash in clashes {
      guard var edit = contexts[context].edits[clash.id] else { continue }
      if clash.mine == nil { edit.isDeletionContested = true }
      if clash.theirs == nil { edit.lost = clash.base }
      let properties = clash.theirs == nil ? Array(edit.cells.keys) : clash.properties
      for property in properties where edit.contested[property] == nil {
        edit.contested[property] = clash.base[property]
      }
      contexts[context].edits[clash.id] = edit
    }
  }

  /// Tells whether a changed object could refer to an object that is not in the store.
  private func refersToNothing(in context: Int) -> Bool {
    contexts[context].edits.keys.contains { id in
      guard let row = shown(id, in: context) else { return true }
      return row.properties.contains { property in
        property.isReference && row[property] != 0
          && (store[row[property]] == nil || shown(row[property], in: context) == nil)
      }
    }
  }

  private mutating func commit(_ results: [ID: Row?], from root: Int) -> Set<Laws.Failure> {
    var rows = store
    for (id, row) in results {
      let isNew = contexts[root].edits[id]?.status == .inserted && !contexts[root].kept.contains(id)
      if isNew, rows[id] != nil { return [.idTaken] }
      rows[id] = row
    }
    let dangles = rows.values.contains { row in
      row.properties.contains { $0.isReference && row[$0] != 0 && rows[row[$0]] == nil }
    }
    if dangles { return [.dangling] }
    let written = results.keys.filter { rows[$0] != store[$0] }
    for other in contexts.indices where contexts[other].parent == nil && other != root {
      contexts[other].waiting.formUnion(written)
      contexts[other].mail.add(results.keys)
    }
    store = rows
    for id in results.keys {
      contexts[root].taken[id] = rows[id]
      if rows[id] == nil { contexts[root].gone.insert(id) }
    }
    contexts[root].edits = [:]
    contexts[root].view = store
    forgetUndo(in: root)
    forgetRemoved(in: root)
    tellChildren(of: root)
    return []
  }

  /// Applies the results of a child's save to the parent, as one undo step of the parent.
  private mutating func hand(
    _ results: [ID: Row?], _ decisions: [ID: Decision], from child: Int, to parent: Int
  ) {
    let edits = contexts[child].edits
    let before = self
    let kept = contexts[child].kept.union(edits.filter { $0.value.status != .inserted }.keys)
    contexts[parent].kept.formUnion(kept.intersection(edits.keys))
    operate(in: parent) { world in
      world.contexts[child].edits = [:]
      for (id, row) in results.sorted(by: { $0.key < $1.key }) {
        guard let row else {
          if world.shown(id, in: parent) != nil { world.deleteAlone(id, in: parent) }
          continue
        }
        let isRestored =
          world.contexts[parent].edits[id]?.status == .deleted
          && world.contexts[parent].taken[id] != nil
        if world.shown(id, in: parent) == nil { world.revive(id, row, in: parent) }
        for property in row.properties where world.shown(id, in: parent)?[property] != row[property]
        {
          // Of an object that is restored, only the child's edits count, or all of a new value.
          let isEdited =
            if case .value? = decisions[id] { true } else {
              before.base(id, in: child)?[property] != row[property]
            }
          if isRestored, !isEdited { continue }
          let isByRule = edits[id]?.cells[property]?.isByRule ?? false
          world.set(id, property, Mine(value: row[property], isByRule: isByRule), in: parent)
        }
      }
    }
    forgetUndo(in: child)
    forgetRemoved(in: child)
  }

  /// Restores an object that this context had deleted or lost, or inserts a new one.
  private mutating func revive(_ id: ID, _ row: Row, in context: Int) {
    if var edit = contexts[context].edits[id], edit.status == .deleted,
      contexts[context].taken[id] != nil
    {
      edit.status = .changed
      edit.isDeletionContested = false
      record(.revive(id), in: context)
      // Properties that have changed above since the deletion get the values above.
      for property in edit.contested.keys {
        record(.set(id, property, before: edit.cells[property], after: nil), in: context)
        edit.cells[property] = nil
      }
      edit.contested = [:]
      contexts[context].edits[id] = edit.isClean ? nil : edit
    } else {
      insert(id, row, in: context)
    }
  }
}
