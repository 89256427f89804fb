import ResponderChain

extension ContextTable {
  /// Returns the slots of a responder as they are archived, sorted by the names of their contexts.
  /// Slots without a registered name, and pending or failed slots, are left out.
  func archivedSlots(of responder: Responder) -> [ArchivedSlot] {
    guard responder.hasSlots, !registrations.isEmpty else { return [] }
    var slots: [ArchivedSlot] = []
    for (name, _, context) in registrations {
      guard let kind = responder.slotKind(context.key) else { continue }
      switch kind {
      case .branch(.follow): slots.append(ArchivedSlot(name: name, code: .following))
      case .branch(.keep): slots.append(ArchivedSlot(name: name, code: .keeping))
      case .block: slots.append(ArchivedSlot(name: name, code: .block))
      case .value where context.isHandedDown(at: responder, below: []):
        slots.append(ArchivedSlot(name: name, code: .handedDown))
      case .value:
        let identity = context.identity(at: responder)
        if !identity.isEmpty {
          slots.append(ArchivedSlot(name: name, code: .value, identity: identity))
        }
      case .pending, .failed: break
      }
    }
    return slots
  }

  /// Gives a responder its archived slots. Slots that code has declared stay. If some of these
  /// differ and `isStrict` is true, none is given. A branch with a part is kept.
  ///
  /// - Returns: a sentence for each archived slot that differs from the declared one, and other
  ///   sentences for the report.
  func replay(
    _ slots: [ArchivedSlot], _ parts: [ArchivedPart], at responder: Responder,
    below above: @autoclosure () -> [Responder], isStrict: Bool
  ) -> (differences: [String], notes: [String]) {
    var (differences, notes): ([String], [String]) = ([], [])
    var missing: [(slot: ArchivedSlot, context: ContextRegistration)] = []
    var branches = missing
    for slot in slots {
      guard let context = registration(named: slot.name) else {
        notes.append("\(slot) was not restored, because no ContextName has this name.")
        continue
      }
      switch (slot.code, responder.slotKind(context.key)) {
      case (.value, _), (.block, .block?): break
      case (_, nil): missing.append((slot, context))
      case (.following, .branch(.follow)?), (.keeping, .branch(.keep)?):
        branches.append((slot, context))
      case (.handedDown, .value?) where context.isHandedDown(at: responder, below: above()): break
      case (_, let present?):
        differences.append(
          "\(slot.name) was \(slot.code.text), and code has declared \(present).")
      }
    }
    if isStrict, !differences.isEmpty { return (differences, []) }
    for (slot, context) in missing {
      if slot.code == .block {
        context.block(at: responder)
      } else {
        context.branch(
          slot.code == .following ? .follow : .keep,
          isKept: parts.contains { $0.name == slot.name }, at: responder)
      }
      if slot.code == .handedDown { notes.append("\(slot.name) was handed down.") }
    }
    for (slot, context) in branches where context.remakeBranchChild(at: responder) {
      notes.append(
        "the branch \(slot.name) keeps a child of another context, because it has unsaved changes.")
    }
    return (differences, notes)
  }
}
