import ResponderChain

/// The execution of a plan. Each phase is complete before the next begins.
///
/// Each phase is a loop over the plan's records, parents first, so nothing recurses over the depth
/// of the tree. If a record is stopped in one phase, this record and the records below it take no
/// part in the later phases.
final class RestorationRun: RecordPaths {
  let engine: Engine
  let application: Application
  /// The plan. Exclusivity checking is off for speed (`restore`). This is safe because only
  /// `Engine.migrate` changes the plan, and that function does not use this object.
  @exclusivity(unchecked) @safe private(set) var plan: RestorationPlan
  /// The responder or object of each record, at the record's index in the plan. Exclusivity
  /// checking is off for speed (`restore`). This is safe because each access is a copy or an
  /// assignment.
  @exclusivity(unchecked) @safe var owners: [PlannedOwner]

  /// The responder or object of one record, and the progress of the record.
  struct PlannedOwner {
    var responder: Responder?
    var object: AddedObject?
    var progress = Progress.planned
    var isNew = false
    /// Whether the responder or object may have a `didFinishRestoring()`, which is called after the
    /// run.
    var isFinishing = false
  }

  /// The progress of one record in the restoration.
  enum Progress {
    /// The record was not reached yet.
    case planned
    /// There is a responder or object for the record.
    case alive
    /// The record is kept for a later launch.
    case carried
    /// The record is removed.
    case gone
  }

  /// Makes the run of a plan. If an added object is given, the plan's first record belongs to this
  /// object, and the responder is the object's parent. Otherwise, the first record belongs to the
  /// responder.
  init(
    _ engine: Engine, _ application: Application, _ plan: RestorationPlan, _ root: Responder,
    _ object: AddedObject? = nil
  ) {
    self.engine = engine
    self.application = application
    self.plan = plan
    owners = Array(repeating: PlannedOwner(), count: plan.nodes.count)
    owners[0].responder = root
    owners[0].object = object
    owners[0].progress = .alive
  }

  /// Restores all records of the plan.
  func restore() {
    let place = engine.crashGuard.place
    defer { engine.crashGuard.leave(to: place) }
    engine.strikeOrigins.followRound()
    create()
    // Only now is it known which of the waiting records have a responder. These records are
    // migrated here.
    if plan.hasWaiting {
      engine.migrate(&plan) { [owners] index, node in
        node.isWaiting && owners[index].progress == .alive
      }
    }
    replaySlots()
    link()
    decode()
  }

  /// Tells the crash guard that code of the app is about to run for a record.
  @inline(__always)
  func enter(_ index: Int) { engine.crashGuard.enter(plan.nodes[index].record.place) }

  func path(_ index: Int) -> [String] {
    // The plan of a screen that is opened later begins at this screen.
    let above = owners[0].responder?.chain.compactMap { responder in
      responder is Application ? nil : responder.mark?.identifier ?? "?"
    }
    return (above ?? []).reversed() + plan.path(index)
  }

  /// Returns the path of a record's responder or object in one line, for messages. The responder
  /// need not be linked yet.
  func pathLine(_ index: Int) -> String {
    var line = PathLine()
    if plan.addPath(index, to: &line) { owners[0].responder?.addPath(to: &line) }
    return line.text ?? "the application"
  }

  /// Returns the index of the record above a record; zero if there is none.
  func above(_ index: Int) -> Int { plan.nodes[index].parent ?? 0 }

  /// Ends the restoration of a record. The given progress tells whether the record is kept for
  /// later or removed. The report gets the reason.
  func stop(_ index: Int, _ progress: Progress, _ reason: String?) {
    let node = plan.nodes[index]
    owners[index].progress = progress
    owners[index].responder?.mark?.record = nil
    let outcome: RestorationReport.Outcome =
      progress != .carried ? .dropped : node.isOut ? .leftOut : .carried
    engine.report.set(node.reportIndex, outcome, reason)
    node.record.carry = nil
    guard let parent = node.parent else { return }
    guard progress == .carried else { return node.record.state = .gone }
    node.record.state = .carried
    // From now on, code may open a screen that gets the record.
    plan.nodes[parent].record.forgetSearch()
    if owners[parent].progress == .alive {
      node.record.carry = Carry(
        isDisplaced: node.isSpare,
        leftOutOrdinal: node.isLeftOut ? node.placeOrdinal : node.header.leftOutOrdinal,
        line: node.reportIndex)
    }
  }
}

extension RestorationRun {
  /// Gives the responders their archived slots, before any of them is linked.
  func replaySlots() {
    for index in plan.nodes.indices where isStillAlive(index) {
      guard let responder = owners[index].responder, !isDeclined(index),
        !plan.nodes[index].header.extras.slots.isEmpty
      else { continue }
      enter(index)
      engine.replayed = responder
      let differences = engine.replay(
        plan.nodes[index].header.extras.slots, at: responder, path: pathLine(index),
        below: responders(above: index))
      engine.replayed = nil
      guard !differences.isEmpty else { continue }
      let text = differences.joined(separator: " ")
      switch engine.parentage {
      case .nearest: engine.report.set(plan.nodes[index].reportIndex, .restored, text)
      case .strict where index == 0: engine.report.note("The application: \(text)")
      case .strict: stop(index, .gone, text)
      }
    }
  }

  /// Returns the responders above the responder of a record, the nearest first, up to the first one
  /// that is linked already. Returns none if the record's own responder is linked already.
  private func responders(above index: Int) -> [Responder] {
    var above: [Responder] = []
    var next = index
    while next > 0, owners[next].isNew, let parent = plan.nodes[next].parent,
      let responder = owners[parent].responder
    {
      above.append(responder)
      next = parent
    }
    return above
  }

  /// Returns whether a record is the application's own record and is not restored in this launch.
  func isDeclined(_ index: Int) -> Bool {
    index == 0 && owners[0].responder === application
      && (engine.extent == .nothing || plan.nodes[0].isLeftOut)
  }

  /// Returns whether a record takes part in the next phase. If the record above it was stopped
  /// meanwhile, stops this record, too.
  func isStillAlive(_ index: Int) -> Bool {
    guard owners[index].progress == .alive else { return false }
    if index == 0 { return true }
    let parent = owners[above(index)].progress
    if parent == .alive { return true }
    follow(index, parent)
    return false
  }
}
