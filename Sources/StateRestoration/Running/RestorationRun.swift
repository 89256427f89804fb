import ResponderChain

/// The execution of a plan. Each phase is complete before the next begins.
///
/// All loops go over the plan's records, parents first, so nothing recurses over the depth of the
/// tree. A responder that fails in one phase takes no part in the next, nor do those below it.
final class RestorationRun: RecordPaths {
  let engine: Engine
  let application: Application
  /// The plan. Accesses are unchecked for speed. None can overlap another, because the plan is
  /// changed by one function only, which does not call this object.
  @exclusivity(unchecked) @safe private(set) var plan: RestorationPlan
  /// The owner of each record, by the record's index in the plan.
  var owners: [PlannedOwner]

  /// The progress of one record.
  struct PlannedOwner {
    var responder: Responder?
    var object: AddedObject?
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

  /// Makes the run of a plan, of which the first record is that of a responder, or of an object
  /// below the responder.
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

  /// Restores all records.
  func restore() {
    create()
    // The records that wait are migrated when responders were found for them.
    if plan.hasWaiting {
      engine.migrate(&plan) { [owners] index, node in
        node.isWaiting && owners[index].progress == .alive
      }
    }
    replaySlots()
    link()
    decode()
  }

  func path(_ index: Int) -> [String] { plan.path(index) }

  /// Returns the index of the record above.
  func above(_ index: Int) -> Int { plan.nodes[index].parent ?? 0 }

  /// Ends the part of a record's owner in the restoration.
  func stop(_ index: Int, _ progress: Progress, _ reason: String?) {
    let node = plan.nodes[index]
    owners[index].progress = progress
    owners[index].responder?.mark?.unbind()
    let outcome: RestorationReport.Outcome = progress == .carried ? .carried : .dropped
    engine.report.set(node.reportIndex, outcome, reason)
    engine.carries[node.id] = nil
    guard let parent = node.parent else { return }
    guard progress == .carried else {
      engine.carried.forget(below: node.id)
      return engine.carried.remove(node.id, below: plan.nodes[parent].id)
    }
    // Code may open a screen for the record from now on.
    engine.carried.insert(node.id, below: plan.nodes[parent].id)
    if owners[parent].progress == .alive {
      engine.carries[node.id] = Carry(isDisplaced: node.isSpare, line: node.reportIndex)
    }
  }
}

extension RestorationRun {
  /// Gives the responders their archived slots, before any of them is linked.
  func replaySlots() {
    for index in plan.nodes.indices where isStillAlive(index) {
      guard let responder = owners[index].responder, !isDeclined(index),
        !plan.nodes[index].header.slots.isEmpty
      else { continue }
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

  /// Returns whether a record is the application's, and the application has wanted nothing.
  func isDeclined(_ index: Int) -> Bool {
    index == 0 && engine.extent == .nothing && plan.nodes[0].id == 0
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
