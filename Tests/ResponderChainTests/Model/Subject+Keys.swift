import ResponderChain

/// The steps of the subject that have a key. The functions are generic over its type.
extension Subject {
  func applyToKeys(_ operation: Operation) {
    switch operation {
    case .provide(let value, let node, let key): provide(value, node, ModelKeys.all[key])
    case .expect(let delivery, let node, let key): expect(delivery, node, ModelKeys.all[key])
    case .deliver(let value, let delivery):
      if let outlet = deliveries[delivery] { log.append(.delivered(outlet.deliver(value))) }
    case .fail(let error, let delivery):
      if let outlet = deliveries[delivery] { log.append(.delivered(outlet.fail(error))) }
    case .branch(let policy, let node, let key):
      with(node) { ModelKeys.all[key].branch($0, policy == .keep ? .keep : .follow) }
    case .soil(let node, let key): soil(node, key, ModelKeys.all[key])
    case .clean(let node, let key):
      if top(of: node) == 0 { soiled[[node, key]]?.hasUnsavedChanges = false }
    case .block(let node, let key): block(node, ModelKeys.all[key])
    case .withdraw(let node, let key, let unsaved): withdraw(node, ModelKeys.all[key], unsaved)
    case .peek(let node, let key): peek(node, ModelKeys.all[key])
    case .remake(let node, let key): remake(node, ModelKeys.all[key])
    case .read(let node, let key, let fromNext): read(node, ModelKeys.all[key], fromNext)
    case .observe(let observer, let node, let key, let script, let delay):
      observe(observer, node, key, .last, script, delay)
    case .observeFirst(let observer, let node, let key, let script, let delay):
      observe(observer, node, key, .first, script, delay)
    case .endObservation(let observer):
      // Even observers end by `cancel()`, odd ones by the release of the token. Both must have the
      // same effect.
      if observer.isMultiple(of: 2) { tokens[observer]?.cancel() }
      tokens[observer] = nil
    default: preconditionFailure("\(operation) is no step of keys")
    }
  }

  private func provide<K: ModelKey>(_ value: Int, _ node: Int, _ key: K.Type) {
    with(node) { $0.provide(K.value(value, ledger), for: key) }
  }

  private func block<K: ModelKey>(_ node: Int, _ key: K.Type) {
    with(node) { $0.block(key) }
  }

  private func expect<K: ModelKey>(_ number: Int, _ node: Int, _ key: K.Type) {
    with(node) { responder in
      let delivery = responder.expect(key)
      deliveries[number] = Outlet(
        deliver: { [unowned ledger] value in
          // Everything here runs on one thread.
          nonisolated(unsafe) let value = K.value(value, ledger)
          return delivery.deliver(value)
        },
        fail: { delivery.fail(TestError(number: $0)) })
    }
  }

  private func soil<K: ModelKey>(_ node: Int, _ number: Int, _ key: K.Type) {
    with(node) { responder in
      let isBranch = responder.slotSummaries.contains {
        if case .branch = $0.kind { $0.key == key } else { false }
      }
      guard isBranch, case .value(let value) = responder.resolve(key) else { return }
      let context = K.context(value)
      context?.hasUnsavedChanges = true
      soiled[[node, number]] = context
    }
  }

  private func withdraw<K: ModelKey>(
    _ node: Int, _ key: K.Type, _ unsaved: Operation.Unsaved
  ) {
    with(node) { responder in
      switch unsaved {
      case .refuse: try responder.withdraw(key)
      case .save: try responder.withdraw(key, unsaved: .save)
      case .discard: try responder.withdraw(key, unsaved: .discard)
      }
    }
  }

  private func read<K: ModelKey>(_ node: Int, _ key: K.Type, _ fromNext: Bool) {
    with(node) { log.append(.read(reply($0.resolve(key, from: fromNext ? .next : .self), key))) }
  }

  private func peek<K: ModelKey>(_ node: Int, _ key: K.Type) {
    with(node) { responder in
      log.append(.read(reply(responder.resolveWithoutMaking(key), key)))
      if let provider = responder.provider(of: key)?.responder {
        log.append(.state("of n\(id(provider))"))
      }
    }
  }

  private func remake<K: ModelKey>(_ node: Int, _ key: K.Type) {
    with(node) { $0.remakeCleanBranchChild(key) }
  }

  private func observe(
    _ observer: Int, _ node: Int, _ key: Int, _ stage: RoundStage, _ script: Operation?,
    _ delay: Int
  ) {
    guard known.insert(observer).inserted else { return }
    if let script { scripts[observer] = (delay, script) }
    observe(observer, node, key, ModelKeys.all[key], stage)
  }

  private func observe<K: ModelKey>(
    _ observer: Int, _ node: Int, _ number: Int, _ key: K.Type, _ stage: RoundStage
  ) {
    with(node) { responder in
      let hear = { [unowned self] (me: Responder, resolution: Resolution<K.Value>) in
        log.append(
          .heard(observer: observer, node: id(me), key: number, reply(resolution, key)))
        runScript(of: observer, at: id(me))
      }
      tokens[observer] =
        stage == .first ? responder.observeFirst(key, hear) : responder.observe(key, hear)
    }
  }

  private func runScript(of observer: Int, at node: Int) {
    guard runsScripts, let (delay, step) = scripts[observer] else { return }
    scripts[observer] = delay > 0 ? (delay - 1, step) : nil
    if delay <= 0, isWithin(top(of: node), step) { apply(step) }
  }

  private func reply<K: ModelKey>(_ resolution: Resolution<K.Value>, _ key: K.Type) -> Reply {
    switch resolution {
    case .value(let value): .value(K.name(value))
    case .pending: .pending
    case .failed(let error): .failed((error as? TestError)?.number ?? -1)
    case .missing: .missing
    case .blocked: .blocked
    }
  }
}
