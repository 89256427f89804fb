/// The rounds of the oracle.
extension Oracle {
  /// Makes a change. Adds each observer whose answer differs before and after the change to the
  /// round.
  ///
  /// `moved` is the top of a subtree that the change links or unlinks. All observers in the subtree
  /// are added, because they may have missed changes while they were detached.
  func change(moved: Int? = nil, _ body: () -> Void) {
    let before = answers()
    body()
    let after = answers()
    let again = Set(moved.map(subtree) ?? [])
    for (id, observer) in observers
    where before[id] != after[id] || again.contains(observer.node) {
      candidates.insert(.observer(id))
    }
    addStaleBranches()
    forgetSilenced()
    if batchDepth == 0 { runRound() }
  }

  private func answers() -> [Int: Answer] {
    observers.mapValues { resolve($0.node, $0.key, makingChildren: false) }
  }

  /// Adds the observers whose lookups reach a replaced slot to the round. Branches do not stop
  /// these lookups.
  func slotWasReplaced(_ node: Int, _ key: Int) {
    for (id, observer) in observers where observer.key == key {
      if looks(from: observer.node, at: node, key) { candidates.insert(.observer(id)) }
    }
  }

  private func looks(from start: Int, at node: Int, _ key: Int) -> Bool {
    if start == node { return true }
    switch nodes[start].slots[key] {
    case nil, .branch: return nodes[start].parent.map { looks(from: $0, at: node, key) } ?? false
    case .value, .pending, .failed, .block: return false
    }
  }

  private func addStaleBranches() {
    for node in nodes.indices where nodes[node].isAlive {
      for key in nodes[node].slots.keys where hasStaleChild(node, key) {
        candidates.insert(.branch(node: node, key: key))
      }
    }
  }

  /// Returns whether a branch with the policy `follow` has a clean child whose parent is no longer
  /// the inherited context.
  private func hasStaleChild(_ node: Int, _ key: Int) -> Bool {
    guard case .branch(let branch) = nodes[node].slots[key], let child = branch.child,
      branch.policy == .follow, !contexts[child.context].isDirty
    else { return false }
    let inherited = nodes[node].parent.map { resolve($0, key, makingChildren: false) }
    return inherited != .value(child.parent)
  }

  /// Removes observers from the running round if their subtree was detached during the round. They
  /// are not called in it.
  private func forgetSilenced() {
    guard isInRound, !silenced.isEmpty else { return }
    candidates = candidates.filter {
      guard case .observer(let id) = $0, let observer = observers[id] else { return true }
      return !silenced.contains(top(of: observer.node))
    }
  }

  /// Runs a round: calls listeners and does the queued work until nothing is left.
  func runRound() {
    guard !isInRound, batchDepth == 0 else { return }
    isInRound = true
    while takeTurn(of: .first) || work(at: .first) || takeTurn(of: .last) || work(at: .last) {}
    silenced = []
    isInRound = false
  }

  /// Calls the first waiting listener of a stage. Returns false if there is none.
  private func takeTurn(of stage: Operation.Stage) -> Bool {
    let waiting = candidates.filter { self.stage($0) == stage }
    guard let next = waiting.min(by: { order($0) < order($1) }) else { return false }
    candidates.remove(next)
    switch next {
    case .branch(let node, let key): if hasStaleChild(node, key) { dropChild(node, key) }
    case .observer(let id): if let observer = observers[id] { ask(id, observer) }
    }
    return true
  }

  private func stage(_ listener: Listener) -> Operation.Stage {
    guard case .observer(let id) = listener else { return .last }
    return observers[id]?.stage ?? .last
  }

  /// Does the oldest queued work for the end of a stage. Returns false if there is none.
  private func work(at stage: Operation.Stage) -> Bool {
    guard let work = works[stage]?.first else { return false }
    works[stage]?.removeFirst()
    perform(work)
    return true
  }

  func perform(_ work: Work) {
    guard let step = work.step else { return settleFirst() }
    log.append(.worked(work.number))
    apply(step)
  }

  /// Returns the position of a listener in a round: its hops from the top, then its registration
  /// number.
  private func order(_ listener: Listener) -> (Int, Int) {
    switch listener {
    case .observer(let id):
      guard let observer = observers[id] else { return (0, 0) }
      return (hops(of: observer.node), observer.registration)
    case .branch(let node, let key):
      guard case .branch(let branch) = nodes[node].slots[key] else { return (0, 0) }
      return (hops(of: node), branch.child?.registration ?? 0)
    }
  }

  private func ask(_ id: Int, _ observer: Observer) {
    let answer = resolve(observer.node, observer.key)
    guard answer != observer.lastHeard else { return }
    call(id, observer, answer)
  }

  private func call(_ id: Int, _ observer: Observer, _ answer: Answer) {
    observers[id]?.lastHeard = answer
    log.append(.heard(observer: id, node: observer.node, key: observer.key, reply(answer)))
    guard runsScripts, let script = observer.script else { return }
    observers[id]?.delay -= 1
    guard observer.delay <= 0 else { return }
    observers[id]?.script = nil
    if isWithin(top(of: observer.node), script) { apply(script) }
  }

  func observe(
    _ id: Int, _ node: Int, _ key: Int, _ stage: Operation.Stage, _ script: Operation?,
    _ delay: Int
  ) {
    guard observers[id] == nil else { return }
    registrations += 1
    let registration = registrations
    let answer = resolve(node, key)
    let observer = Observer(
      node: node, key: key, stage: stage, registration: registration, lastHeard: answer,
      script: script, delay: delay)
    observers[id] = observer
    if stage == .last { call(id, observer, answer) }
  }
}
