extension Oracle {
  /// What a policy decides of one object, always the same.
  enum Ending { case error, mine, theirs, value }

  static func ending(_ policy: Step.Policy, _ number: Int) -> Ending {
    switch policy {
    case .error: .error
    case .mine: .mine
    case .theirs: .theirs
    case .resolve: [.mine, .theirs, .value][number % 3]
    }
  }

  /// The value on which the deciding policy settles: the greater of all but references.
  static func combined(_ kind: Kind, _ mine: Row, _ theirs: Row?) -> Row {
    guard let theirs else { return mine }
    return mine.indices.map { field in
      Relation.of(kind, field) == nil ? max(mine[field], theirs[field]) : mine[field]
    }
  }

  /// Saves one level; the refusal, or nothing.
  func save(_ context: Int) -> String {
    guard let level = levels[context] else { return "" }
    let refusal = level.parent.map { save(level, to: $0) } ?? saveToStore(level)
    if refusal.isEmpty {
      level.local = [:]
      level.log?.forget()
    }
    return refusal
  }

  private func save(_ level: Level, to parent: Int) -> String {
    var reports: [String] = []
    for number in level.local.keys.sorted() {
      settle(number, level, with: view(number, parent), &reports)
    }
    if !reports.isEmpty { return "conflict " + reports.joined(separator: " ") }
    guard let above = levels[parent] else { return "" }
    above.log?.begin()
    for (number, local) in level.local.sorted(by: { $0.key < $1.key }) {
      if local.phase == .deleted {
        markDeleted(number, parent)
        continue
      }
      let known = above.local[number]
      let row = view(number, parent)
      above.log?.record(number, known)
      switch known?.phase {
      case .inserted, .updated: above.local[number]?.value = local.value
      case .deleted:
        above.local[number]?.phase = .updated
        above.local[number]?.value = local.value
      case nil:
        above.local[number] =
          row.map { Local(phase: .updated, base: $0, value: local.value) }
          ?? Local(phase: .inserted, base: local.value, value: local.value)
      }
    }
    above.log?.end()
    return ""
  }

  /// Compares one change with what those above have by now.
  private func settle(_ number: Int, _ level: Level, with theirs: Row?, _ reports: inout [String]) {
    guard let local = level.local[number], let kind = kinds[number] else { return }
    let ending = Self.ending(level.policy, number)
    switch (local.phase, theirs) {
    case (.inserted, _), (.deleted, nil): break
    case (.updated, nil):
      switch ending {
      case .error: reports.append("o\(number)")
      case .mine: break
      case .theirs: level.local[number] = nil
      case .value: level.local[number]?.value = Self.combined(kind, local.value, nil)
      }
    case (.deleted, let theirs?):
      guard theirs != local.base else { return }
      switch ending {
      case .error: reports.append("o\(number)")
      case .mine: level.local[number]?.base = theirs
      case .theirs: level.local[number] = nil
      case .value:
        let value = Self.combined(kind, local.value, theirs)
        level.local[number] = Local(phase: .updated, base: theirs, value: value)
      }
    case (.updated, let theirs?):
      let mine = theirs.indices.filter { local.value[$0] != local.base[$0] }
      let both = mine.filter {
        theirs[$0] != local.base[$0] && theirs[$0] != local.value[$0]
      }
      var merged = theirs
      for field in mine { merged[field] = local.value[field] }
      if !both.isEmpty {
        switch ending {
        case .error:
          reports.append("o\(number)\(both)")
          return
        case .mine: break
        case .theirs: for field in both { merged[field] = theirs[field] }
        case .value: merged = Self.combined(kind, local.value, theirs)
        }
      }
      level.local[number] = Local(phase: .updated, base: theirs, value: merged)
    }
  }

  private func saveToStore(_ level: Level) -> String {
    var reports: [String] = []
    var undecided: [Int: Local] = [:]
    for (number, local) in level.local.sorted(by: { $0.key < $1.key }) {
      let row = store[number]
      let isConflict =
        switch local.phase {
        case .inserted: false
        case .deleted: row != local.base
        case .updated:
          local.value != local.base
            && (row == nil
              || local.base.indices.contains {
                local.value[$0] != local.base[$0] && row?[$0] != local.base[$0]
              })
        }
      guard isConflict else { continue }
      if row == nil, local.phase == .deleted {
        level.local[number] = nil
        continue
      }
      if isDecided(local, row) { undecided[number] = local }
      settle(number, level, with: row, &reports)
      if row == nil, let kept = level.local[number], Self.ending(level.policy, number) != .error {
        level.local[number] = Local(phase: .inserted, base: kept.value, value: kept.value)
      }
    }
    if !reports.isEmpty { return "conflict " + reports.joined(separator: " ") }
    var after = store
    for (number, local) in level.local {
      switch local.phase {
      case .inserted: after[number] = local.value
      case .deleted: after[number] = nil
      case .updated:
        for field in local.value.indices where local.value[field] != local.base[field] {
          after[number]?[field] = local.value[field]
        }
      }
    }
    guard isConsistent(after) else {
      // Nothing was saved: what the policy decided is as it was before.
      for (number, local) in undecided { level.local[number] = local }
      return "constraint"
    }
    store = after
    return ""
  }

  /// Whether the policy is asked what becomes of a change.
  private func isDecided(_ local: Local, _ theirs: Row?) -> Bool {
    guard local.phase == .updated, let theirs else { return true }
    return theirs.indices.contains {
      local.value[$0] != local.base[$0] && theirs[$0] != local.base[$0]
        && theirs[$0] != local.value[$0]
    }
  }

  /// Whether names of decks are unique and no reference dangles.
  func isConsistent(_ rows: [Int: Row]) -> Bool {
    var names: Set<Int> = []
    return rows.allSatisfy { number, row in
      guard let kind = kinds[number] else { return false }
      if kind == .deck, !names.insert(row[0]).inserted { return false }
      return Relation.all.allSatisfy { relation in
        relation.from != kind || row[relation.field] == 0 || rows[row[relation.field] - 1] != nil
      }
    }
  }
}
