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
  /// differ and `isStrict` is true, none is given.
  ///
  /// - Returns: a sentence for each archived slot that differs from the declared one, and other
  ///   sentences for the report.
  func replay(
    _ slots: [ArchivedSlot], at responder: Responder, below above: @autoclosure () -> [Responder],
    isStrict: Bool
  ) -> (differences: [String], notes: [String]) {
    var differences: [String] = []
    for slot in slots {
      guard let context = registration(named: slot.name),
        let present = responder.slotKind(context.key)
      else { continue }
      switch (slot.code, present) {
      case (.value, _), (.block, .block), (.following, .branch(.follow)),
        (.keeping, .branch(.keep)):
        break
      case (.handedDown, .value) where context.isHandedDown(at: responder, below: above()): break
      default:
        differences.append(
          "\(slot.name) was \(slot.code.text), and code has declared \(present).")
      }
    }
    var notes: [String] = []
    if isStrict, !differences.isEmpty { return (differences, notes) }
    for slot in slots {
      guard let context = registration(named: slot.name) else {
        notes.append("\(slot) was not restored, because no ContextName has this name.")
        continue
      }
      let present = responder.slotKind(context.key)
      switch (slot.code, present) {
      case (.following, nil): context.branch(.follow, at: responder)
      case (.keeping, nil): context.branch(.keep, at: responder)
      case (.handedDown, nil):
        context.branch(.keep, at: responder)
        notes.append("\(slot.name) was handed down.")
      case (.block, nil): context.block(at: responder)
      case (.following, .branch(.follow)?), (.keeping, .branch(.keep)?):
        if context.remakeBranchChild(at: responder) {
          notes.append(
            "the branch \(slot.name) keeps a child of another context, because it has unsaved "
              + "changes.")
        }
      // A value is not archived, and a declared slot stays.
      case (.value, _), (_, _?): break
      }
    }
    return (differences, notes)
  }
}
