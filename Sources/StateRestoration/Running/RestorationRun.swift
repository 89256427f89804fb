import ResponderChain

/// The execution of a plan. Each phase is complete before the next begins.
///
/// All loops go over the plan's records, parents first, so nothing recurses over the depth of the
/// tree. If a record is stopped in one phase, it and those below it take no part in the next.
final class RestorationRun: RecordPaths {
  let engine: Engine
  let application: Application
  /// The plan. Accesses are unchecked for speed. This is safe because one function only changes the
  /// plan, and it does not call this object.
  @exclusivity(unchecked) @safe private(set) var plan: RestorationPlan
  /// The owner of each record, by the record's index in the plan.
  var owners: [PlannedOwner]

  /// The owner of one record, with the progress of the record.
  struct PlannedOwner {
    var responder: Responder?
    var object: AddedObject?
    var progress = Progress.planned
    var isNew = false
  }

  /// The progress of one record in the restoration.
  enum Progress {
    /// The record was not reached yet.
    case planned
    /// There is a responder or object for the record.
    case alive
    /// The record is kept for later.
    case carried
    /// The record is removed.
    case gone
  }

  /// Makes the run of a plan. The first record is that of the object if there is one, and that of
  /// the responder otherwise. The object is below the responder.
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
    // Only now it is known which of the waiting records have a responder. They are migrated here.
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

  /// Ends the restoration of a record, which is carried or removed, and says so in the report.
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
    // From now on, code may open a screen that gets the record.
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

  /// Returns whether a record is that of the application, and nothing is to be restored.
  func isDeclined(_ index: Int) -> Bool {
    index == 0 && engine.extent == .nothing && plan.nodes[0].id == 0
  }

  /// Returns whether a record's owner takes part in the next phase. If the record above was stopped
  /// since, this one is stopped too.
  func isStillAlive(_ index: Int) -> Bool {
    guard owners[index].progress == .alive else { return false }
    if index == 0 { return true }
    let parent = owners[above(index)].progress
    if parent == .alive { return true }
    follow(index, parent)
    return false
  }
}
