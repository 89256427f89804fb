import ResponderChain

/// A model that runs the steps on the library. Its log has the form of the oracle's log.
final class Subject: Model {
  let application: Application
  let ledger = Ledger()
  let kinds: [Program.Kind]
  /// The responders that the program retains. The tree retains the others.
  var handles: [Int: Responder] = [:]
  var nodes: [Weak]
  /// The numbers of the living responders. A new responder at a reused address gets its own number.
  private var numbers: [ObjectIdentifier: Int] = [:]
  var log: [Event] = []
  var tokens: [Int: ContextObservation] = [:]
  var known: Set<Int> = []
  /// The steps that observers still have to run, each with the number of calls to wait before it.
  /// An entry is removed when its step runs.
  var scripts: [Int: (delay: Int, step: Operation)] = [:]
  var runsScripts = true
  var deliveries: [Int: Outlet] = [:]
  /// The contexts that steps made dirty, by node and key.
  var soiled: [[Int]: TestContext] = [:]
  /// All living responders, retained during a step so that none ends before the end of the step.
  private var pinned: [Responder] = []

  struct Weak { weak var responder: Responder? }

  /// A delivery whose value type is erased.
  struct Outlet {
    let deliver: (Int) -> Bool
    let fail: (Int) -> Bool
  }

  init(_ program: Program, strategy: Strategy) {
    application = Application(strategy: strategy)
    kinds = program.kinds
    nodes = [Weak(responder: application)]
    numbers[ObjectIdentifier(application)] = 0
    for node in kinds.indices.dropFirst() {
      nodes.append(Weak())
      make(node)
    }
  }

  deinit { ledger.close() }

  func perform(_ operation: Operation) -> [Event] {
    log = []
    let madeBefore = ledger.childrenMade
    let firstBefore = application.firstResponder.map(id)
    pinned = nodes.compactMap(\.responder)
    apply(operation)
    drain()
    detachOrphans()
    let first = application.firstResponder.map(id)
    if first != firstBefore { log.append(.state("first: n\(first ?? -1)")) }
    if ledger.childrenMade != madeBefore { log.append(.made(ledger.childrenMade)) }
    return log + nodes.compactMap(\.responder).flatMap { $0.checkInvariants() }.map(Event.state)
  }

  func apply(_ operation: Operation) {
    guard canApply(operation) else { return }
    switch operation {
    case .make, .insert, .move, .reorder, .remove, .setRootView, .present, .dismiss, .drop,
      .makeFirst:
      applyToTree(operation)
    case .batch(let steps):
      application.batch { steps.forEach(apply) }
    case .atEnd(let stage, let work, let step):
      (stage == .first ? RoundStage.first : .last).atEnd { [self] in
        log.append(.worked(work))
        apply(step)
      }
    case .provide, .expect, .deliver, .fail, .branch, .remake, .soil, .clean, .block, .withdraw,
      .peek, .read, .observe, .observeFirst, .endObservation:
      applyToKeys(operation)
    }
  }

  private func canApply(_ operation: Operation) -> Bool {
    switch operation {
    case .make, .batch, .atEnd: true
    case .observe(_, let node, _, _, _), .observeFirst(_, let node, _, _, _):
      nodes[node].responder != nil
    default: operation.nodes.allSatisfy { nodes[$0].responder != nil }
    }
  }

  func make(_ node: Int) {
    guard nodes[node].responder == nil else { return }
    let responder: Responder = kinds[node] == .view ? ViewResponder() : Controller()
    numbers[ObjectIdentifier(responder)] = node
    handles[node] = responder
    nodes[node].responder = responder
    pinned.append(responder)
  }

  /// Applies all letters in one round, because the oracle does not model the order of the mailbox.
  private func drain() {
    application.batch { _ = application.drain() }
  }

  private func detachOrphans() {
    let parents = nodes.map { $0.responder?.nextResponder.map(id) }
    let living = nodes.indices.filter { nodes[$0].responder != nil }
    let start = log.count + 1
    runsScripts = false
    pinned = []
    let dead = living.filter { nodes[$0].responder == nil }
    guard !dead.isEmpty else { return runsScripts = true }
    log.append(.died(dead))
    drain()
    // Outside the application, children of an ended responder are notified only at their next
    // change. So each is removed here.
    for case (let node, let parent?) in zip(nodes.indices, parents) where dead.contains(parent) {
      nodes[node].responder?.removeFromParent()
    }
    runsScripts = true
    log.replaceSubrange(start..., with: sortedByTree(Array(log[start...])) { top(of: $0) })
  }
}

extension Subject {
  func id(_ responder: Responder) -> Int { numbers[ObjectIdentifier(responder)] ?? -1 }

  func top(of node: Int) -> Int {
    var top = node
    for responder in nodes[node].responder?.chain.map(\.self) ?? [] { top = id(responder) }
    return top
  }

  func isWithin(_ top: Int, _ operation: Operation) -> Bool {
    operation.anchors.allSatisfy { nodes[$0].responder != nil && self.top(of: $0) == top }
  }

  func finish() -> [Event] {
    nodes.indices.compactMap { node in
      guard let responder = nodes[node].responder else { return nil }
      let controller = responder as? Controller
      let slots = responder.slotSummaries.compactMap { slot -> (Int, String)? in
        guard let key = ModelKeys.all.firstIndex(where: { $0 == slot.key }) else { return nil }
        return (key, kind(slot.kind))
      }
      return .state(
        "n\(node) next \(responder.nextResponder.map(id) ?? -1) "
          + "children \(responder.children.map(id)) view \(controller?.rootView.map(id) ?? -1) "
          + "presents \(controller?.presented.map(id) ?? -1) "
          + "slots \(slots.sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1)" })")
    }
  }

  private func kind(_ kind: SlotSummary.SlotKind) -> String {
    switch kind {
    case .branch(let policy): "\(policy)"
    case .value, .pending, .failed, .block: "\(kind)"
    }
  }
}
