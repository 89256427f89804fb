import ObjectGraph

extension Laws {
  /// A fault that a test plants in the library, in the library's visible results or in the oracle.
  /// The test proves that random programs find the fault.
  enum Sabotage: String, CaseIterable {
    // Against law 1, and the ends of edits.
    /// A merge discards the context's edits.
    case dropsEditsInMerges
    /// Each change in a group becomes an undo step of its own.
    case splitsGroups
    case redoesNothing
    // Against law 2.
    /// The oracle still counts a property as edited after it was set back to its base.
    case keepsSetBackEdits
    // Against law 3.
    /// The oracle ends a contest when both sides have the same value.
    case forgetsEqualContests
    case swapsMineAndTheirs
    /// A policy's closure gets the value of the parent or the store as the base.
    case showsLateBases
    // Against law 4.
    /// A save that throws discards the context's edits.
    case discardsAfterFailures
    case savesOneLevel
    /// The store loses the names of persons.
    case storesNoNames
    // Against law 5.
    /// A list keeps objects that no longer match its filter.
    case keepsRowsInLists
    /// A count stops at the limit of its request, which it should ignore.
    case limitsCounts
    /// A merge of a few rows merges all rows.
    case takesWholeSlices
  }
}

// MARK: - What the library does

extension Laws.Sabotage {
  /// Returns the steps that the library performs in place of a step.
  func steps(for step: Laws.Step) -> [Laws.Step] {
    switch (self, step) {
    case (.dropsEditsInMerges, .merge(let context)): [.discard(context), step]
    case (.splitsGroups, .group(_, let steps)): steps
    case (.redoesNothing, .redo): []
    case (.swapsMineAndTheirs, .policy(let context, .mine)): [.policy(context, .theirs)]
    case (.swapsMineAndTheirs, .policy(let context, .theirs)): [.policy(context, .mine)]
    case (.savesOneLevel, .saveAll(let context)): [.save(context)]
    case (.takesWholeSlices, .slice(let context, _)): [.slice(context, 1_000)]
    default: [step]
    }
  }

  /// Applies the fault to the library after a step.
  func follow(_ step: Laws.Step, _ result: Laws.Session.Result, in subject: Laws.Subject) {
    switch step {
    case .save(let context), .saveAll(let context):
      if self == .discardsAfterFailures, result.failure != nil {
        subject.contexts[context].discard()
      }
    default: break
    }
  }
}

// MARK: - What is seen of the library

extension Laws.Sabotage {
  func spoil(_ result: inout Laws.Session.Result) {
    guard self == .showsLateBases else { return }
    result.asked = result.asked.map {
      Laws.Clash(
        id: $0.id, properties: $0.properties, base: $0.theirs ?? $0.base, mine: $0.mine,
        theirs: $0.theirs)
    }
  }

  func spoil(_ reads: inout Laws.Reads) {
    if self == .limitsCounts { reads.count = reads.found.count }
  }

  /// Plants the fault in the rows of all lists. `listed` has the objects of the lists before the
  /// step.
  func spoil(_ lists: inout Laws.ListedRows, after listed: [[Set<Laws.ID>]]) {
    guard self == .keepsRowsInLists, !listed.isEmpty else { return }
    for context in lists.indices {
      for (list, ids) in listed[context].enumerated() {
        lists[context][list] += ids.subtracting(lists[context][list]).sorted()
      }
    }
  }

  func spoil(storedRows rows: inout [Laws.ID: Laws.Row]) {
    guard self == .storesNoNames else { return }
    for (id, row) in rows where !row.isTeam { rows[id] = row.with(.name, 0) }
  }
}

// MARK: - The oracle

extension Laws.Sabotage {
  /// Plants the fault in the world after a step. `before` is the world before the step.
  func spoil(_ world: inout Laws.World, after step: Laws.Step, in before: Laws.World) {
    switch (self, step) {
    case (.keepsSetBackEdits, .set(let context, let id, let property, let value)):
      guard before.contexts[context].edits[id]?.cells[property] != nil,
        world.contexts[context].edits[id]?.cells[property] == nil
      else { return }
      let mine = Laws.Mine(value: value)
      world.contexts[context].edits[id, default: Laws.Edit()].cells[property] = mine
    case (.forgetsEqualContests, _):
      for context in world.contexts.indices { endEqualContests(in: &world.contexts[context]) }
    default: break
    }
  }

  private func endEqualContests(in context: inout Laws.Context) {
    for (id, edit) in context.edits {
      var edit = edit
      for property in edit.contested.keys
      where edit.cells[property]?.value == context.taken[id]?[property] {
        edit.cells[property] = nil
        edit.contested[property] = nil
      }
      context.edits[id] = edit.isClean ? nil : edit
    }
  }
}
