/// A model of the library's behaviour, slow and obvious: a lookup is a recursive walk, and after
/// each change every observer is asked whether its answer differs.
///
/// `Oracle+Tree.swift` and `Oracle+Slots.swift` have the steps, `Oracle+Round.swift` the
/// notifications.
final class Oracle: Model {
  static let contextCount = 10

  var nodes: [Node]
  var contexts: [Context]
  var observers: [Int: Observer] = [:]
  /// Where the slot of each open delivery is.
  var deliveries: [Int: (node: Int, key: Int)] = [:]
  /// The deliveries that wait for the application to drain its mailbox.
  var arrived: [Int: Slot] = [:]
  /// The deliveries and observation tokens that the program has in hand: it gets them when the
  /// call that makes them returns, which is after its round.
  var knownDeliveries: Set<Int> = []
  private var tokens: Set<Int> = []
  var registrations = 0
  var childrenMade = 0
  var log: [Event] = []

  /// The listeners that will have a turn in the round.
  var candidates: Set<Listener> = []
  /// The work that is left to do at the end of each stage.
  var works: [Operation.Stage: [Work]] = [:]
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
    apply(operation)
    drain()
    buryTheDead()
    if childrenMade != madeBefore { log.append(.made(childrenMade)) }
    return log
  }

  func apply(_ operation: Operation) {
    guard canApply(operation) else { return }
    switch operation {
    case .make, .insert, .move, .reorder, .remove, .setRootView, .present, .dismiss, .drop:
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
      // It reads, then sets a flag of the context: neither changes what anybody resolves to.
      applyToSlots(operation)
    case .provide, .deliver, .fail, .branch, .remake, .clean, .block, .withdraw:
      change { applyToSlots(operation) }
    }
  }

  /// Tells whether all responders of the step are alive. The steps inside a batch or a script are
  /// asked when their time comes.
  private func canApply(_ operation: Operation) -> Bool {
    switch operation {
    case .make, .batch, .atEnd: true
    case .observe(_, let node, _, _, _), .observeFirst(_, let node, _, _, _): nodes[node].isAlive
    default: operation.nodes.allSatisfy { nodes[$0].isAlive }
    }
  }

  /// Joins changes into one round.
  func batch(_ body: () -> Void) {
    batchDepth += 1
    body()
    batchDepth -= 1
    runRound()
  }

  /// Tells whether a step concerns the tree with this top, and nothing else.
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
  /// Returns a node's answer for a key. A branch on the way makes its child, unless told not to.
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

  /// Returns the nearest node whose slot is no branch without a child that it would keep, and the
  /// answer there.
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

  /// Returns an answer as the log shows it; a context gets its name when it is first shown.
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
