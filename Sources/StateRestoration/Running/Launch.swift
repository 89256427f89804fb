import ResponderChain

/// The execution of a plan. Each phase is complete before the next begins.
///
/// Each phase is a loop over the plan's records, parents first, so nothing recurses over the depth
/// of the tree. If a record is stopped in one phase, this record and the records below it take no
/// part in the later phases.
final class Launch: RecordPaths {
  let session: Session
  let application: Application
  let nodes: [PlanNode]
  /// The responder or object of each record, at the record's index in the plan. Exclusivity is
  /// unchecked for speed (`restore`): each access is a copy or an assignment.
  @exclusivity(unchecked) @safe var owners: [PlannedOwner]

  /// The responder or object of one record.
  struct PlannedOwner {
    var responder: Responder?
    var object: AddedObject?
    /// The outcome for the record; nil if the launch has not reached it yet. While the launch goes
    /// on, a record with a responder or object counts as restored.
    var outcome: RestorationReport.Outcome?
    var isNew = false
    /// Whether the responder or object may have a `didFinishRestoring()`, which is called after the
    /// launch.
    var isFinishing = false

    var isAlive: Bool { outcome == .restored }
  }

  /// Makes the launch of a plan. The first record belongs to the responder, or to an object that was
  /// added below it.
  init(
    _ session: Session, _ application: Application, _ nodes: [PlanNode], _ root: Responder,
    _ object: AddedObject? = nil
  ) {
    self.session = session
    self.application = application
    self.nodes = nodes
    owners = Array(repeating: PlannedOwner(), count: nodes.count)
    owners[0].responder = root
    owners[0].object = object
    owners[0].outcome = .restored
    if object == nil { bind(0, root) }
  }

  /// Lets references to a record lead to its responder; nil if it has none.
  func bind(_ index: Int, _ responder: Responder?) {
    let id = nodes[index].record.id
    guard session.contexts.responders[id] != nil else { return }
    session.contexts.responders[id] = ReferredResponder(responder)
  }

  /// Restores all records of the plan.
  func restore() {
    let page = session.guarding.page
    let place = page.place
    defer { page.leave(to: place) }
    session.guarding.origins.followRound()
    create()
    replaySlots()
    link()
    decode()
  }

  /// Tells the crash guard that code of the app is about to run for a record.
  @inline(__always)
  func enter(_ index: Int) { session.guarding.page.enter(nodes[index].record.place) }

  func path(_ index: Int) -> [String] { session.report.path(nodes[index].record.line) }

  /// Returns the path of a record in one line, for messages.
  func pathLine(_ index: Int) -> String { session.report.pathLine(nodes[index].record.line) }

  /// Returns the index of the record above a record; zero if there is none.
  func above(_ index: Int) -> Int { Int(nodes[index].parent) }

  /// Ends the restoration of a record. The report gets the outcome and the reason.
  func stop(_ index: Int, _ outcome: RestorationReport.Outcome, _ reason: String?) {
    let node = nodes[index]
    owners[index].outcome = outcome
    owners[index].responder?.mark?.record = nil
    bind(index, nil)
    session.report.set(node.record.line, outcome, reason)
    node.record.carry = nil
    guard index > 0 else { return }
    guard outcome.isKept else { return node.record.state = .gone }
    node.record.state = .carried
    // From now on, code may open a screen that gets the record.
    nodes[above(index)].record.forgetSearch()
    if owners[above(index)].isAlive {
      node.record.carry = Carry(
        isDisplaced: node.isSpare,
        isLeftOut: node.isLeftOut || node.header.carry?.isLeftOut == true)
    }
  }

  /// Keeps a record for a later launch.
  func keep(_ index: Int, _ reason: String?) { stop(index, nodes[index].keptOutcome, reason) }

  /// Keeps a record for later if the one above it is kept or was not reached; removes it otherwise.
  func follow(_ index: Int, _ parent: RestorationReport.Outcome?) {
    if parent?.isKept ?? true { keep(index, nil) } else { stop(index, .dropped, nil) }
  }

  /// Returns whether a record is the application's own record and is not restored in this launch.
  func isDeclined(_ index: Int) -> Bool {
    index == 0 && owners[0].responder === application
      && (session.extent == .nothing || nodes[0].isLeftOut)
  }

  /// Returns whether a record takes part in the next phase. If the record above it was stopped
  /// meanwhile, stops this record, too.
  func isStillAlive(_ index: Int) -> Bool {
    guard owners[index].isAlive else { return false }
    if index == 0 || owners[above(index)].isAlive { return true }
    follow(index, owners[above(index)].outcome)
    return false
  }
}

extension RestorationReport.Outcome {
  /// Whether the record is kept for a later launch.
  var isKept: Bool { self == .carried || self == .leftOut }
}

extension Launch {
  /// Gives the responders their archived slots, before any of them is linked.
  func replaySlots() {
    for index in nodes.indices where isStillAlive(index) {
      let slots = nodes[index].header.slots
      guard let responder = owners[index].responder, !isDeclined(index), !slots.isEmpty else {
        continue
      }
      enter(index)
      session.touched = responder
      let isStrict = session.settings.parentage == .strict
      let (differences, notes) = session.contexts.replay(
        slots, nodes[index].header.parts, at: responder, below: responders(above: index),
        isStrict: isStrict)
      session.touched = nil
      for note in notes { session.report.note("\(pathLine(index)): \(note)") }
      guard !differences.isEmpty else { continue }
      let text = differences.joined(separator: " ")
      if !isStrict {
        session.report.set(nodes[index].record.line, .restored, text)
      } else if index == 0 {
        session.report.note("The application: \(text)")
      } else {
        stop(index, .dropped, text)
      }
    }
  }

  /// Returns the responders above the responder of a record, the nearest first, up to the first one
  /// that is linked already. None if its own responder is linked already.
  private func responders(above index: Int) -> [Responder] {
    var above: [Responder] = []
    var next = index
    while next > 0, owners[next].isNew, let responder = owners[self.above(next)].responder {
      above.append(responder)
      next = self.above(next)
    }
    return above
  }
}
