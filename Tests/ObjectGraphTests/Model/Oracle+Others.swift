extension Oracle {
  /// Commits a change in another root context. The first root saves if `savesBefore` is true, and
  /// then merges the change.
  func foreign(_ change: Step.Foreign, _ savesBefore: Bool) -> String {
    let other = Level(parent: nil, policy: .error)
    levels[-1] = other
    defer { levels[-1] = nil }
    switch change {
    case .edit(let number, let field, let value):
      guard store[number] != nil else { return "" }
      edit(number, field, value, -1)
    case .link(let number, let field, let target):
      guard store[number] != nil else { return "" }
      guard target.map({ store[$0] != nil && fits(number, field, $0) }) ?? true else { return "" }
      edit(number, field, target.map { $0 + 1 } ?? 0, -1)
    case .delete(let number):
      guard store[number] != nil else { return "" }
      guard let plan = deletion(of: [number], nil) else { return "denied" }
      for doomed in plan.deleted { markDeleted(doomed, -1) }
      for (member, field) in plan.nullified { edit(member, field, 0, -1) }
    case .insert(let new):
      kinds[new.number] = new.kind
      let row = new.kind.row(named: new.text, number: new.count)
      other.local[new.number] = Local(phase: .inserted, base: row, value: row)
    }
    let touched = other.local.keys.sorted()
    let refusal = save(-1)
    let result = refusal + (savesBefore ? save(0) : "")
    if refusal.isEmpty, let root = levels[0] {
      for number in touched { follow(number, root) }
      propagate()
    }
    return result
  }
}
