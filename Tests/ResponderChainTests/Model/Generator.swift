import LineageTestSupport

/// A generator of random programs. It runs each step on an oracle, so that it can choose steps that
/// have an effect.
struct Generator {
  private var random: SplitMix64
  private var program: Program
  private let oracle: Oracle
  private let keys: [Int]
  private var observers = 0
  private var deliveries = 0
  private var works = 0
  private(set) var expected: [[Event]] = []

  /// The numbers of responders and of keys in a program.
  struct Size {
    let nodes: Int
    let keys: Int
    static let all = [
      Size(nodes: 9, keys: 2), Size(nodes: 17, keys: 4), Size(nodes: 40, keys: 6),
    ]
    static let large = Size(nodes: 66, keys: 24)
  }

  /// Makes a program. Returns it with the events that the oracle expects from each step and from
  /// the end.
  static func program(
    seed: UInt64, steps: Int
  ) -> (program: Program, expected: [[Event]]) {
    var generator = Generator(seed: seed)
    generator.buildTree()
    while generator.program.steps.count < steps { generator.add(generator.step()) }
    return (generator.program, generator.expected + [generator.oracle.finish()])
  }

  private init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let size = random.chance(8) ? Size.large : random.pick(Size.all)
    let kinds = (1..<size.nodes).map { _ in
      random.chance(65) ? Program.Kind.controller : .view
    }
    program = Program(seed: seed, kinds: [.application] + kinds, steps: [])
    oracle = Oracle(program)
    // Keys with adjacent indices often share a bit of the mask. Half of the programs have one plain
    // key.
    let first = random.below(ModelKeys.contextCount - size.keys)
    var keys = Array(first..<(first + size.keys))
    if random.chance(50) { keys.append(ModelKeys.contextCount + random.below(10)) }
    self.keys = keys
    self.random = random
  }

  private mutating func add(_ step: Operation) {
    program.steps.append(step)
    expected.append(oracle.perform(step))
  }

  /// Adds steps that build a broad or a deep tree. Some responders stay outside it.
  private mutating func buildTree() {
    let nodes = program.kinds.count
    let isLong = random.chance(40)
    for child in 1..<nodes where random.chance(85) {
      let parent = isLong && random.chance(80) ? child - 1 : random.below(child)
      add(.insert(child, under: parent, at: random.below(4)))
      if random.chance(70) { add(.drop(child)) }
    }
    // In large trees, nearly each responder gets a slot.
    guard nodes > 60 else { return }
    for node in 1..<nodes { add(slotStep(node)) }
  }

  private mutating func step() -> Operation {
    if random.chance(6) { return .batch((0..<(2 + random.below(4))).map { _ in innerStep() }) }
    return simpleStep()
  }

  /// Draws a step to put inside another step, but no step that makes a branch clean. Such a branch
  /// would follow only at the next drain, and drains come only after outer steps.
  private mutating func innerStep() -> Operation {
    let step = simpleStep()
    if case .clean(let node, let key) = step { return .read(node, key: key, fromNext: false) }
    return step
  }

  private mutating func simpleStep() -> Operation {
    let node = anyNode()
    switch random.below(100) {
    case 0..<2: return work(of: innerStep())
    case 2..<5: return .makeFirst(node)
    case 5..<20: return treeStep(node)
    case 20..<60: return slotStep(node)
    case 60..<64: return .peek(node, key: random.pick(keys))
    case 64..<75: return .read(node, key: random.pick(keys), fromNext: random.chance(25))
    case 75..<93: return observation(node)
    default: return .endObservation(random.below(max(observers, 1)))
    }
  }

  private mutating func treeStep(_ node: Int) -> Operation {
    let orphans = oracle.nodes.indices.dropFirst().filter {
      oracle.nodes[$0].isAlive && oracle.nodes[$0].parent == nil
    }
    let orphan = orphans.isEmpty ? anyNode() : random.pick(orphans)
    switch random.below(100) {
    case 0..<10: return .make(deadNode() ?? anyNode())
    case 10..<30: return .insert(orphan, under: node, at: random.below(4))
    case 30..<37: return .insert(anyNode(), under: node, at: random.below(4))
    case 37..<55: return .move(anyNode(), to: node, at: random.below(4))
    case 55..<60: return .reorder(node, to: random.below(4))
    case 60..<70: return .remove(node)
    case 70..<77: return .present(random.chance(70) ? orphan : anyNode(), by: node)
    case 77..<82: return .dismiss(node)
    case 82..<92: return .setRootView(random.chance(70) ? node : nil, of: anyNode())
    default: return .drop(node)
    }
  }

  private mutating func slotStep(_ node: Int) -> Operation {
    let key = random.pick(keys)
    let policy: Operation.Policy = random.chance(60) ? .follow : .keep
    switch random.below(100) {
    case 0..<26: return .provide(random.below(4), on: node, key: key)
    case 26..<42 where key < ModelKeys.contextCount:
      return .branch(policy, on: node, key: key)
    case 42..<48: return soil(or: .soil(node, key: key))
    case 48..<54: return soil(or: .clean(node, key: key), isClean: true)
    case 54..<57: return branchStep(or: .remake(node, key: key)) { .remake($0, key: $1) }
    case 57..<60: return .block(node, key: key)
    case 60..<72:
      deliveries += 1
      return .expect(deliveries - 1, on: node, key: key)
    case 72..<84:
      let delivery = max(deliveries - 1 - random.below(4), 0)
      return random.chance(70)
        ? .deliver(random.below(6), to: delivery) : .fail(Int(random.next() % 10_000), of: delivery)
    default:
      return .withdraw(node, key: key, random.pick([.refuse, .refuse, .save, .discard]))
    }
  }

  /// Draws a step that makes the child of a branch dirty or clean. If there is no branch, the
  /// result is the given step.
  private mutating func soil(or step: Operation, isClean: Bool = false) -> Operation {
    branchStep(or: step) { isClean ? .clean($0, key: $1) : .soil($0, key: $1) }
  }

  private mutating func branchStep(
    or step: Operation, _ make: (Int, Int) -> Operation
  ) -> Operation {
    let branches = oracle.nodes.indices.flatMap { node in
      oracle.nodes[node].slots.compactMap { key, slot -> [Int]? in
        switch slot {
        case .branch: [node, key]
        case .value, .pending, .failed, .block: nil
        }
      }
    }
    guard !branches.isEmpty else { return step }
    let place = random.pick(branches.sorted { $0.lexicographicallyPrecedes($1) })
    return make(place[0], place[1])
  }

  private mutating func observation(_ node: Int) -> Operation {
    observers += 1
    let observer = observers - 1
    var script: Operation?
    if random.chance(30) {
      script = random.chance(10) && observer > 0 ? .endObservation(observer) : nestedStep(node)
    }
    let key = random.pick(keys)
    let delay = script == .endObservation(observer) ? 1 : random.chance(25) ? 0 : 1
    return random.chance(30)
      ? .observeFirst(observer, on: node, key: key, script: script, delay: delay)
      : .observe(observer, on: node, key: key, script: script, delay: delay)
  }

  /// Returns a step that puts the given step off to the end of a stage.
  private mutating func work(of step: Operation) -> Operation {
    works += 1
    return .atEnd(random.chance(50) ? .first : .last, work: works - 1, step)
  }

  /// Draws a step for the callback of an observer. Some of these steps remove the responder of the
  /// observer.
  private mutating func nestedStep(_ node: Int) -> Operation {
    if random.chance(10) { return work(of: innerStep()) }
    return random.chance(15) ? .remove(node) : innerStep()
  }

  private mutating func anyNode() -> Int {
    for _ in 0..<4 {
      let node = random.below(program.kinds.count)
      if oracle.nodes[node].isAlive { return node }
    }
    return 0
  }

  private mutating func deadNode() -> Int? {
    let dead = oracle.nodes.indices.filter { !oracle.nodes[$0].isAlive }
    return dead.isEmpty ? nil : random.pick(dead)
  }
}
