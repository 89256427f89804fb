import ResponderChain

/// The execution of a plan. Each phase is complete before the next begins.
///
/// All loops go over the plan's records, parents first, so nothing recurses over the depth of the
/// tree. A responder that fails in one phase takes no part in the next, nor do those below it.
final class RestorationRun {
  let engine: Engine
  let application: Application
  let plan: RestorationPlan
  /// The owner of each record, by the record's index in the plan.
  var owners: [PlannedOwner]

  /// The progress of one record.
  struct PlannedOwner {
    var responder: Responder?
    var object: (any StateRestoring)?
    var progress = Progress.planned
    var isNew = false
  }

  enum Progress {
    /// Nothing was done yet.
    case planned
    /// There is a responder or object for the record.
    case alive
    /// The record is kept for later.
    case carried
    /// The record is removed.
    case gone
  }

  init(_ engine: Engine, _ application: Application, _ plan: RestorationPlan) {
    self.engine = engine
    self.application = application
    self.plan = plan
    owners = Array(repeating: PlannedOwner(), count: plan.nodes.count)
  }

  /// Restores all records, of which the first is the owner's.
  func run(into root: Responder, mark: Mark, isWanted: Bool) {
    owners[0].responder = root
    owners[0].progress = isWanted ? .alive : .carried
    mark.bind(to: engine, record: plan.nodes[0].id)
    mark.isKept = !isWanted
    // A responder that is attached meanwhile may be restored by a run within this one.
    let isOuter = !engine.isRestoring
    engine.isRestoring = true
    application.batch {
      create()
      replaySlots()
      link()
      decode()
    }
    if isOuter { engine.isRestoring = false }
    if plan.nodes[0].parent == nil, root === application { engine.didDecode?(application) }
    finish()
    if isOuter { engine.eraseLater() }
  }

  /// Returns the index of the record above.
  func above(_ index: Int) -> Int { plan.nodes[index].parent ?? 0 }

  /// Ends the part of a record's owner in the restoration.
  func stop(_ index: Int, _ progress: Progress, _ reason: String?) {
    owners[index].progress = progress
    owners[index].responder?.mark?.unbind()
    let outcome: RestorationReport.Outcome = progress == .carried ? .carried : .dropped
    engine.report.set(plan.nodes[index].reportIndex, outcome, reason)
  }
}

extension RestorationRun {
  /// Gives the responders their archived slots, before any of them is linked.
  func replaySlots() {
    for index in plan.nodes.indices where isStillAlive(index) {
      guard let responder = owners[index].responder else { continue }
      guard !plan.nodes[index].header.slots.isEmpty else { continue }
      let node = plan.nodes[index]
      engine.replayed = responder
      let differences = engine.replay(node.header.slots, at: responder)
      engine.replayed = nil
      guard !differences.isEmpty else { continue }
      let text = differences.joined(separator: " ")
      switch engine.parentage {
      case .nearest: engine.report.set(node.reportIndex, .restored, text)
      case .strict where index == 0: engine.report.note("The application: \(text)")
      case .strict: stop(index, .gone, text)
      }
    }
  }

  /// Returns whether a record's owner takes part in the next phase, as far as those above it do.
  func isStillAlive(_ index: Int) -> Bool {
    guard owners[index].progress == .alive else { return false }
    if index == 0 { return true }
    let parent = owners[above(index)].progress
    if parent == .alive { return true }
    follow(index, parent)
    return false
  }
}
