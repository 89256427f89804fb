extension Oracle {
  /// The decision of a policy about an object, which is always the same for the same object.
  enum Ending { case error, mine, theirs, value }

  static func ending(_ policy: Step.Policy, _ number: Int) -> Ending {
    switch policy {
    case .error: .error
    case .mine: .mine
    case .theirs: .theirs
    case .resolve: [.mine, .theirs, .value][number % 3]
    }
  }

  /// Returns the row that the policy `resolve` chooses: the greater value of each property, but the
  /// references of `mine`.
  static func combined(_ kind: Kind, _ mine: Row, _ theirs: Row?) -> Row {
    guard let theirs else { return mine }
    return mine.indices.map { field in
      Relation.of(kind, field) == nil ? max(mine[field], theirs[field]) : mine[field]
    }
  }

  /// Saves a context one level up. Returns the reason of a refusal; an empty text after a success.
  func save(_ context: Int) -> String {
    guard let level = levels[context] else { return "" }
    let before = level.local
    let hadChanges = hasUnsavedChanges(context)
    let refusal = level.parent.map { save(level, to: $0) } ?? saveToStore(level)
    if refusal.isEmpty {
      level.local = [:]
      level.log?.forget()
      if hadChanges || !level.ledger.handed.isEmpty { handOn(level) }
      propagate()
    } else {
      level.local = before
    }
    return refusal
  }

  /// Saves a context and all contexts above it. Returns the reason of a refusal; an empty text after
  /// a success. If one of the saves is refused, everything is as before.
  func saveAll(_ context: Int) -> String {
    let before = levels.mapValues { ($0.local, $0.log?.copy(), $0.ledger) }
    var level: Int? = context
    while let next = level, let parent = levels[next] {
      let refusal = save(next)
      if !refusal.isEmpty {
        for (number, (local, log, ledger)) in before {
          levels[number]?.local = local
          levels[number]?.log = log
          levels[number]?.ledger = ledger
        }
        return refusal
      }
      level = parent.parent
    }
    return ""
  }

  private func save(_ level: Level, to parent: Int) -> String {
    var reports: [String] = []
    for number in level.local.keys.sorted() { decide(number, level, &reports) }
    if !reports.isEmpty { return "conflict " + reports.joined(separator: " ") }
    guard let above = levels[parent] else { return "" }
    above.log?.begin()
    for (number, local) in level.local.sorted(by: { $0.key < $1.key }) {
      if local.phase == .updated, local.value == local.base { continue }
      if local.phase == .deleted {
        markDeleted(number, parent, isQuiet: true)
        continue
      }
      let known = above.local[number]
      above.log?.record(number, known)
      switch known?.phase {
      case .inserted: above.local[number]?.value = local.value
      case .updated where view(number, parent) != nil:
        above.local[number]?.value = local.value
        above.local[number]?.emptied.formUnion(local.emptied)
      case .deleted where known?.isGone != true:
        guard var restored = known else { continue }
        restored.phase = .updated
        for field in restored.value.indices {
          if local.isReplaced || local.value[field] != local.base[field] {
            restored.value[field] = local.value[field]
          } else if restored.contested[field] != nil {
            restored.value[field] = restored.base[field]
          }
        }
        restored.contested = [:]
        restored.emptied.formUnion(local.emptied)
        above.local[number] = restored
      default:
        if let row = view(number, parent) {
          above.local[number] = Local(
            phase: .updated, base: row, value: local.value, emptied: local.emptied)
        } else {
          let isKept = local.isKept && above.last[number]?.isNew != true
          above.local[number] = Local(
            phase: .inserted, base: isKept ? local.base : local.value, value: local.value,
            isKept: isKept, isReplaced: local.isReplaced, emptied: local.emptied)
        }
      }
    }
    above.log?.end()
    return ""
  }

  /// Lets the policy decide the conflict of an object, if there is one. A refusal is added to
  /// `reports`.
  private func decide(_ number: Int, _ level: Level, _ reports: inout [String]) {
    guard var local = level.local[number], let kind = kinds[number] else { return }
    if local.phase == .inserted {
      if local.isKept, let row = view(number, level.parent) {
        level.local[number] = Local(phase: .updated, base: row, value: local.value)
      }
      return
    }
    guard local.isGone || !local.contested.isEmpty else { return }
    if local.isGone, local.phase == .deleted {
      level.local[number] = nil
      return
    }
    let ending = Self.ending(level.policy, number)
    let isWhole = local.isGone || local.phase == .deleted
    let contested = local.contested.keys.sorted()
    local.contested = [:]
    switch ending {
    case .error:
      reports.append(isWhole ? "o\(number)" : "o\(number)\(contested)")
      return
    case .mine: break
    case .theirs:
      if isWhole {
        level.local[number] = nil
        return
      }
      for field in contested { local.value[field] = local.base[field] }
    case .value:
      local.value = Self.combined(kind, local.value, local.isGone ? nil : local.base)
      local.phase = .updated
    }
    if local.isGone {
      local = Local(
        phase: .inserted, base: local.base, value: local.value, isKept: true,
        isReplaced: ending == .value, emptied: local.emptied)
    }
    level.local[number] = local
  }

  private func saveToStore(_ level: Level) -> String {
    // A policy decides by the current rows, so the refused objects are updated first.
    for (number, local) in level.local.sorted(by: { $0.key < $1.key })
    where isRefused(number, local, store[number]) && local.phase == .deleted {
      follow(number, level)
    }
    for (number, local) in level.local.sorted(by: { $0.key < $1.key })
    where isRefused(number, local, store[number]) && local.phase != .deleted {
      follow(number, level)
    }
    var reports: [String] = []
    for number in level.local.keys.sorted() { decide(number, level, &reports) }
    if !reports.isEmpty { return "conflict " + reports.joined(separator: " ") }
    for (number, local) in level.local { count(number, local, level) }
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
    guard isConsistent(after) else { return "constraint" }
    store = after
    return ""
  }

  /// Increments the counter of a new or edited object, with the newest row of the store.
  private func count(_ number: Int, _ local: Local, _ level: Level) {
    guard let counter = kinds[number]?.counter, local.phase != .deleted,
      local.phase == .inserted || !local.unsaved.isEmpty
    else { return }
    if local.phase == .updated { follow(number, level) }
    level.local[number]?.value[counter] += 1
  }

  /// Tells whether a save finds that others changed the properties that it is about to write.
  private func isRefused(_ number: Int, _ local: Local, _ row: Row?) -> Bool {
    func isOther(_ field: Int) -> Bool {
      isContestable(field, number) && row?[field] != local.base[field]
    }
    return switch local.phase {
    case .inserted: false
    case .deleted:
      row == nil || local.base.indices.contains(where: isOther) || !local.contested.isEmpty
    case .updated:
      !local.isUntouched
        && (row == nil || !local.contested.isEmpty || local.unsaved.contains(where: isOther))
    }
  }

  /// Tells whether the names of decks are unique, those of learners with the same favourite, and the
  /// cards of the slips of a tally, and whether all references lead to rows.
  func isConsistent(_ rows: [Int: Row]) -> Bool {
    var names: Set<Int> = []
    var fans: Set<Row> = []
    var links: Set<Row> = []
    return rows.allSatisfy { number, row in
      guard let kind = kinds[number] else { return false }
      if kind == .deck, !names.insert(row[0]).inserted { return false }
      if kind == .learner, row[1] != 0, !fans.insert(row).inserted { return false }
      if kind == .slip, row[1] != 0, row[2] != 0, !links.insert([row[1], row[2]]).inserted {
        return false
      }
      return Relation.all.allSatisfy { relation in
        relation.from != kind || row[relation.field] == 0 || rows[row[relation.field] - 1] != nil
      }
    }
  }
}
