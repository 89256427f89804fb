/// A slow and obvious model of the library. A lookup is a recursive walk. Each change compares the
/// answers that all observers get before and after it.
///
/// The steps are in `Oracle+Tree.swift` and `Oracle+Slots.swift`, the notifications in
/// `Oracle+Round.swift`.
final class Oracle: Model {
  static let contextCount = 10

  var nodes: [Node]
  var contexts: [Context]
  var observers: [Int: Observer] = [:]
  /// The node and the key of the slot of each open delivery.
  var deliveries: [Int: (node: Int, key: Int)] = [:]
  /// The delivered outcomes that wait until the application drains its mailbox.
  var arrived: [Int: Slot] = [:]
  /// The deliveries that the program can use. It gets a delivery when the call that makes it
  /// returns, which is after the round of the call.
  var knownDeliveries: Set<Int> = []
  private var tokens: Set<Int> = []
  var registrations = 0
  var childrenMade = 0
  var log: [Event] = []

  /// The listeners that the round has still to call.
  var candidates: Set<Listener> = []
  /// The work that is queued for the end of each stage.
  var works: [Operation.Stage: [Work]] = [:]
  /// The first responder.
  var first: Int?
  /// The node from which the first responder was removed in the running round.
  var fallback: Int?
  var isInRound = false
  var batchDepth = 0
  /// The tops of subtrees that were detached during the running round.
  var silenced: Set<Int> = []
  var runsScripts = true

  init(_ program: Program) {
    nodes = program.kinds.map { Node(kind: $0) }
    contexts = (0..<Self.contextCount).map { Context(name: "c\($0)") }
  }

  func perform(_ operation: Operation) -> [Event] {
    log = []
    let madeBefore = childrenMade
    let firstBefore = first
    apply(operation)
    drain()
    detachOrphans()
    if first != firstBefore { log.append(.state("first: n\(first ?? -1)")) }
    if childrenMade != madeBefore { log.append(.made(childrenMade)) }
    return log
  }

  func apply(_ operation: Operation) {
    guard canApply(operation) else { return }
    switch operation {
    case .make, .insert, .move, .reorder, .remove, .setRootView, .present, .dismiss, .drop,
      .makeFirst:
      applyToTree(operation)
    case .read(let node, let key, let fromNext):
      log.append(.read(reply(read(node, key, fromNext))))
    case .peek(let node, let key):
      let found = peek(node, key)
      log.append(.read(reply(found?.answer ?? .missing)))
      if let provider = found?.node { log.append(.state("of n\(provider)")) }
    case .observe(let observer, let node, let key, let script, let delay):
      batch { observe(observer, node, key, .last, script, delay) }
      tokens.insert(observer)
    case .observeFirst(let observer, let node, let key, let script, let delay):
      batch { observe(observer, node, key, .first, script, delay) }
      tokens.insert(observer)
    case .endObservation(let observer):
      if tokens.contains(observer) { observers[observer] = nil }
    case .expect(let delivery, _, _):
      change { applyToSlots(operation) }
      knownDeliveries.insert(delivery)
    case .batch(let steps):
      batch { steps.forEach(apply) }
    case .atEnd(let stage, let number, let step):
      let work = Work(number: number, step: step)
      if isInRound || batchDepth > 0 {
        works[stage, default: []].append(work)
      } else {
        batch { perform(work) }
      }
    case .soil:
      // The step reads a context and then sets its flag. Neither of the two changes the answer of a
      // lookup.
      applyToSlots(operation)
    case .provide, .deliver, .fail, .branch, .remake, .clean, .block, .withdraw:
      change { applyToSlots(operation) }
    }
  }

  /// Returns whether all responders of the step are alive. The steps inside a batch or script are
  /// checked when they run.
  private func canApply(_ operation: Operation) -> Bool {
    switch operation {
    case .make, .batch, .atEnd: true
    case .observe(_, let node, _, _, _), .observeFirst(_, let node, _, _, _): nodes[node].isAlive
    default: operation.nodes.allSatisfy { nodes[$0].isAlive }
    }
  }

  /// Runs a closure, and then one round for all its changes.
  func batch(_ body: () -> Void) {
    batchDepth += 1
    body()
    batchDepth -= 1
    runRound()
  }

  /// Returns whether a step takes place only in the tree with the given top.
  func isWithin(_ top: Int, _ operation: Operation) -> Bool {
    operation.anchors.allSatisfy { nodes[$0].isAlive && self.top(of: $0) == top }
  }

  private func read(_ node: Int, _ key: Int, _ fromNext: Bool) -> Answer {
    if !fromNext { return resolve(node, key) }
    guard let next = nodes[node].parent else { return .missing }
    return resolve(next, key)
  }
}

extension Oracle {
  /// Returns the answer for a key at a node. If `makingChildren` is true, branches on the way make
  /// their children.
  func resolve(_ node: Int, _ key: Int, makingChildren: Bool = true) -> Answer {
    var inherited: Answer {
      guard let next = nodes[node].parent else { return .missing }
      return resolve(next, key, makingChildren: makingChildren)
    }
    switch nodes[node].slots[key] {
    case nil: return inherited
    case .value(let context): return .value(context)
    case .pending: return .pending
    case .failed(let error): return .failed(error)
    case .block: return .blocked
    case .branch(let branch):
      if let child = branch.child, branch.policy == .keep || contexts[child.context].isDirty {
        return .value(child.context)
      }
      let above = inherited
      if case .unmade = above { return .unmade(node: node, of: -1) }
      if let child = branch.child, above == .value(child.parent) {
        return .value(child.context)
      }
      guard case .value(let parent) = above else {
        if makingChildren { dropChild(node, key) }
        return above
      }
      guard makingChildren else { return .unmade(node: node, of: parent) }
      return .value(makeChild(of: parent, node, key, branch.policy))
    }
  }

  /// Returns the nearest node whose slot gives an answer without making a child, and this answer. A
  /// branch gives an answer only if it would keep its present child.
  private func peek(_ node: Int, _ key: Int) -> (node: Int, answer: Answer)? {
    let above = nodes[node].parent
    guard let slot = nodes[node].slots[key] else { return above.flatMap { peek($0, key) } }
    let answer = resolve(node, key, makingChildren: false)
    guard case .branch(let branch) = slot else { return (node, answer) }
    if let child = branch.child, answer == .value(child.context) { return (node, answer) }
    return above.flatMap { peek($0, key) }
  }

  private func makeChild(
    of parent: Int, _ node: Int, _ key: Int, _ policy: Operation.Policy
  ) -> Int {
    contexts.append(Context(parent: parent))
    childrenMade += 1
    registrations += 1
    let child = (contexts.count - 1, parent, registrations)
    nodes[node].slots[key] = .branch(Branch(policy: policy, child: child))
    return child.0
  }

  func dropChild(_ node: Int, _ key: Int) {
    guard case .branch(let branch) = nodes[node].slots[key] else { return }
    nodes[node].slots[key] = .branch(Branch(policy: branch.policy))
  }

  /// Returns an answer as the log shows it. A context gets its name when the log first shows it.
  func reply(_ answer: Answer) -> Reply {
    switch answer {
    case .value(let context): .value(name(of: context))
    case .pending: .pending
    case .failed(let error): .failed(error)
    case .missing: .missing
    case .blocked: .blocked
    case .unmade(let node, let parent): .value("unmade child of \(parent) at n\(node)")
    }
  }

  func name(of context: Int) -> String {
    if let name = contexts[context].name { return name }
    guard let parent = contexts[context].parent else { return "?" }
    let prefix = name(of: parent)
    contexts[parent].namedChildren += 1
    let name = "\(prefix).\(contexts[parent].namedChildren)"
    contexts[context].name = name
    return name
  }

  func top(of node: Int) -> Int { nodes[node].parent.map(top) ?? node }

  func hops(of node: Int) -> Int { nodes[node].parent.map { hops(of: $0) + 1 } ?? 0 }

  func subtree(_ node: Int) -> [Int] { [node] + nodes[node].owned.flatMap(subtree) }
}
