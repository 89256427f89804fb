extension Oracle {
  /// The objects of one deletion, and the references that it has set to nil.
  struct Deleted {
    let context: Int
    let numbers: [Int]
    let emptied: [(number: Int, field: Int, owner: Int)]
  }

  /// The last row of an object in a context, and whether the object has never been saved from there.
  struct LastRow {
    var row: Row
    var isNew: Bool
  }

  /// Records a deletion before its first change.
  func note(_ numbers: [Int], _ nullified: [(Int, field: Int)], _ context: Int) {
    let emptied = nullified.map { number, field in
      (number: number, field: field, owner: (view(number, context)?[field] ?? 0) - 1)
    }
    deletions.append(Deleted(context: context, numbers: numbers, emptied: emptied))
  }

  /// Records the rows of all objects. An object that is deleted keeps its last row.
  func noteLastRows() {
    for number in kinds.keys { noteLastRow(number) }
  }

  func noteLastRow(_ number: Int) {
    for (context, level) in levels {
      guard let row = shownOrDeleted(number, context) else { continue }
      let isNew = level.local[number].map { $0.phase == .inserted && !$0.isKept } ?? false
      level.last[number] = LastRow(row: row, isNew: isNew)
    }
  }

  /// Records the rows that objects have after a discard, if they are not shown any more.
  func noteDiscard(_ level: Level) {
    for (number, local) in level.local where local.phase != .inserted || local.isKept {
      level.last[number] = LastRow(row: local.base, isNew: false)
    }
  }

  func shownOrDeleted(_ number: Int, _ context: Int) -> Row? {
    levels[context]?.local[number]?.value ?? view(number, context)
  }

  func makeLog(_ context: Int) -> Log {
    Log { [unowned self] number in lastRow(number, context) }
  }

  private func lastRow(_ number: Int, _ context: Int) -> Row? {
    shownOrDeleted(number, context) ?? levels[context]?.last[number]?.row
  }

  /// Puts the objects of a deletion back, or none of them.
  func putBack(_ index: Int) -> String {
    guard deletions.indices.contains(index), let deletion = deletions[index],
      let level = levels[deletion.context]
    else { return "" }
    let context = deletion.context
    guard canPutBack(deletion) else { return "invalid" }
    level.log?.begin()
    let emptied = deletion.emptied.filter { view($0.number, context)?[$0.field] == 0 }
    for number in deletion.numbers {
      level.log?.record(number, level.local[number])
      guard let row = lastRow(number, context) else { continue }
      guard var local = level.local[number], !local.isGone else {
        let isNew = level.local[number] == nil && level.last[number]?.isNew ?? false
        level.local[number] = Local(phase: .inserted, base: row, value: row, isKept: !isNew)
        continue
      }
      local.phase = .updated
      for field in local.contested.keys { local.value[field] = local.base[field] }
      local.contested = [:]
      local.emptied = local.emptied.filter { local.value[$0] != local.base[$0] }
      level.local[number] = local.isUntouched ? nil : local
    }
    propagate()
    for (number, field, owner) in emptied { edit(number, field, owner + 1, context) }
    level.log?.end()
    return ""
  }

  /// Tells whether the ids and unique values of deleted objects are free, and all targets exist.
  private func canPutBack(_ deletion: Deleted) -> Bool {
    let context = deletion.context
    return deletion.numbers.allSatisfy { number in
      guard view(number, context) == nil, let kind = kinds[number],
        let row = lastRow(number, context)
      else { return false }
      let others = all(kind, context).compactMap { view($0, context) }
      switch kind {
      case .deck: if others.contains(where: { $0[0] == row[0] }) { return false }
      case .learner: if row[1] != 0, others.contains(row) { return false }
      case .slip: if others.contains(where: { $0[1...] == row[1...] }) { return false }
      default: break
      }
      return Relation.all.filter { $0.from == kind && row[$0.field] != 0 }.allSatisfy {
        let target = row[$0.field] - 1
        return deletion.numbers.contains(target) || view(target, context) != nil
      }
    }
  }
}
