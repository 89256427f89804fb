import LineageTestSupport
import ObjectGraph

extension ChainWorld {
  /// Does a step. Returns nil if the step saves no chain, and otherwise the error that it throws;
  /// an empty text if it throws none.
  func run(_ seed: UInt64, _ mode: Mode) -> String? {
    var random = SplitMix64(seed: seed)
    step += 1
    defer { if setting.isMixed { touchAll() } }
    let slot = random.below(6)
    let context = contexts[slot]
    switch random.below(100) {
    case 0..<40: edit(&random, in: context, slot: slot)
    case 40..<44:
      log.append("group in \(slot)")
      context.group { for _ in 0..<3 { edit(&random, in: context, slot: slot) } }
    case 44..<50:
      log.append("undo in \(slot)")
      if context.recordsUndo { context.undo() }
    case 50..<54:
      log.append("redo in \(slot)")
      context.redo()
    case 54..<58:
      let error = describe { try context.save() }
      log.append("save in \(slot): \(error)")
    case 58..<60:
      log.append("discard in \(slot)")
      context.discard()
    case 60..<62:
      log.append("merge in \(slot)")
      try? context.merge()
    case 62..<71:
      log.append("others")
      let other = contexts[Self.other]
      other.conflictPolicy = .mine
      for _ in 0...random.below(2) { edit(&random, in: other, slot: Self.other) }
      let error = describe { try other.save() }
      if !error.isEmpty { other.discard() }
      if random.chance(50) { try? contexts[0].merge() }
    case 71..<75: setPolicy(&random, slot)
    case 75..<77: release(slot)
    case 77..<79:
      if let draft = drafts.isEmpty ? nil : random.pick(drafts), draft.object.context == nil {
        let error = describe { try contexts[draft.slot].insert(draft.object) }
        log.append("insert again \(draft.object) in \(draft.slot): \(error)")
      }
    case 79..<93: return saveAll(&random, slot, mode)
    default: return edit(&random, slot, mode)
    }
    return nil
  }

  func setPolicy(_ random: inout SplitMix64, _ slot: Int) {
    let kind = random.below(setting.isMixed ? 3 : 5)
    log.append("policy \(kind) in \(setting.isMixed ? "\(slot)" : "all")")
    for index in setting.isMixed ? [slot] : Array(0..<6) {
      contexts[index].conflictPolicy = Self.policy(kind)
    }
  }

  static func policy(_ kind: Int) -> ConflictPolicy {
    switch kind {
    case 0: return .error
    case 1: return .mine
    case 2: return .theirs
    case 3: return .resolve { $0.properties.contains("rightCount") ? .mine : .theirs }
    default:
      return .resolve { conflict in
        guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
          var theirs = conflict.theirs as? Card, !conflict.properties.isEmpty
        else { return .mine }
        theirs.rightCount += mine.rightCount - base.rightCount
        return .value(theirs)
      }
    }
  }

  func release(_ slot: Int) {
    guard slot > 0 else { return }
    log.append("release \(slot)")
    var gone = [slot]
    for index in Self.parents.indices where Self.parents[index].map({ gone.contains($0) }) == true {
      gone.append(index)
    }
    drafts.removeAll { gone.contains($0.slot) }
    for index in gone.reversed() {
      mirrors[index] = nil
      held[index] = [:]
      contexts[index].discard()
    }
    let policy = contexts[slot].conflictPolicy
    for index in gone {
      contexts[index] = make(index)
      contexts[index].conflictPolicy = policy
      equip(index)
    }
  }

  func describe(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch let error as GraphError {
      let name = refusal { throw error } ?? ""
      return name == "conflict" ? name : "\(name) in \(error.context ?? "-")"
    } catch {
      return "\(error)"
    }
  }

  func saveAll(_ random: inout SplitMix64, _ slot: Int, _ mode: Mode) -> String {
    let merges = random.chance(60)
    let fails = random.chance(15)
    let grouped = random.chance(10) ? [0, 1, slot].randomElement(using: &random) : nil
    log.append(
      "saveAll in \(slot)\(merges ? " merged" : "")\(fails ? " failing" : "")"
        + (grouped.map { " in a group of \($0)" } ?? ""))
    if merges { try? contexts[0].merge() }
    var error = ""
    let save = { [self] in
      let before = calls
      store.setFailing(fails)
      defer { store.setFailing(false) }
      switch mode {
      case .whole: error = describe { try contexts[slot].saveAll() }
      case .series: error = describe { try series(contexts[slot]) }
      case .skipped: break
      }
      if mode == .whole, merges, grouped == nil {
        check(since: before, most: error.isEmpty ? 1 : 0)
      }
      if mode == .skipped || !error.isEmpty { try? contexts[0].merge() }
    }
    if let grouped {
      contexts[grouped].group {
        edit(&random, in: contexts[grouped], slot: grouped)
        save()
        edit(&random, in: contexts[grouped], slot: grouped)
      }
    } else {
      save()
    }
    log.append("  -> \(mode) \(error)")
    return error
  }

  func check(since before: [Int: Int], most: Int) {
    for (slot, count) in calls where count - before[slot, default: 0] > 2 * most {
      complaints.append(
        "step \(step): the lists of \(slot) had \(count - before[slot, default: 0])")
    }
  }

  func edit(_ random: inout SplitMix64, _ slot: Int, _ mode: Mode) -> String? {
    let fails = random.chance(10)
    let refuses = random.chance(20)
    let inner = random.chance(30) ? random.below(6) : nil
    let policy = contexts[slot].conflictPolicy
    log.append("edit in \(slot)\(fails ? " failing" : "")\(refuses ? " refusing" : "")")
    try? contexts[0].merge()
    let before = calls
    func body(_ child: ObjectContext) throws {
      child.conflictPolicy = policy
      for _ in 0...random.below(3) { edit(&random, in: child, slot: nil) }
      if let inner {
        log.append("  inner edit in \(inner)")
        func change(_ grandchild: ObjectContext) {
          grandchild.conflictPolicy = policy
          for _ in 0...random.below(3) { edit(&random, in: grandchild, slot: nil) }
        }
        let error = describe {
          if mode == .whole {
            try contexts[inner].edit { change($0) }
          } else {
            let grandchild = child.makeChild()
            change(grandchild)
            do { try grandchild.save() } catch {
              grandchild.discard()
              throw error
            }
          }
        }
        log.append("  inner -> \(error)")
      }
      if refuses { throw Refused() }
    }
    var error = ""
    if mode == .whole {
      store.setFailing(fails)
      error = describe { try contexts[slot].edit(body) }
      store.setFailing(false)
    } else {
      let child = contexts[slot].makeChild()
      error = describe {
        do {
          try body(child)
          if mode == .series {
            store.setFailing(fails)
            defer { store.setFailing(false) }
            try series(child)
          }
        } catch {
          child.discard()
          throw error
        }
      }
      if mode == .skipped { child.discard() }
    }
    if mode == .whole { check(since: before, most: error.isEmpty ? 1 : 0) }
    log.append("  -> \(mode) \(error)")
    if mode == .skipped || !error.isEmpty { try? contexts[0].merge() }
    return error
  }
}
