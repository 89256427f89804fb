import ResponderChain

extension Engine {
  /// Notes that a record's values wait for contexts.
  func wait(
    _ id: UInt32, _ responder: Responder, _ needs: [String], _ values: [WaitingValue],
    _ reportIndex: Int
  ) {
    let observations = needs.compactMap { name in
      contexts.registrations[name]?.observeFirst(responder) { [weak self] responder in
        self?.hear(responder)
      }
    }
    waiting[id] = WaitingOwner(
      responder: responder, needs: needs, values: values, observations: observations,
      reportIndex: reportIndex)
    report.set(
      reportIndex, .waiting, "Values wait for \(needs.joined(separator: ", ")).")
  }

  /// Notes that a responder finds another context. Its values are decoded when all responders that
  /// hear of the same change have been noted.
  func hear(_ responder: Responder) {
    heard.append(responder)
    if heard.count == 1 { RoundStage.first.atEnd { [weak self] in self?.settleHeard() } }
  }

  private func settleHeard() {
    let responders = heard
    heard = []
    var ready: [(UInt32, WaitingOwner)] = []
    var seen: Set<UInt32> = []
    for responder in responders {
      guard let mark = responder.mark, mark.isBound(to: self),
        let owner = waiting[mark.record], isReady(owner), seen.insert(mark.record).inserted
      else { continue }
      ready.append((mark.record, owner))
    }
    // Added objects wait at the responder below which they are.
    for added in objects where added.mark.isBound(to: self) {
      guard let owner = waiting[added.mark.record], let responder = owner.responder,
        responders.contains(where: { $0 === responder }), isReady(owner)
      else { continue }
      ready.append((added.mark.record, owner))
    }
    guard !ready.isEmpty else { return }
    prefetch(ready.compactMap { id, owner in owner.responder.map { (id, $0) } })
    var finished: [AnyObject] = []
    for (id, owner) in ready { settle(id, owner, &finished) }
    let hasEnded = waiting.isEmpty
    RoundStage.last.atEnd { [weak self] in
      for object in finished { (object as? any RestorationFinishing)?.didFinishRestoring() }
      if hasEnded, let self { onReport?(report) }
    }
  }

  private func isReady(_ owner: WaitingOwner) -> Bool {
    guard let responder = owner.responder else { return false }
    return owner.needs.allSatisfy { name in
      guard let context = contexts.registrations[name] else { return true }
      if case .value = context.inherited(at: responder) { return true }
      return false
    }
  }

  private func settle(_ id: UInt32, _ owner: WaitingOwner, _ finished: inout [AnyObject]) {
    guard let responder = owner.responder, let record = log.reader(of: id),
      let values = try? RecordValues(record)
    else { return }
    for value in owner.values {
      do {
        guard try value.settle(values, scope(of: responder)) else { continue }
        if let entry = try? values.find(value.key) { used[id].insert(entry.index) }
        if !contexts.missing.isEmpty {
          note(missing: contexts.missing, key: value.key, of: responder)
        }
      } catch {
        note(error, key: value.key, of: responder)
      }
    }
    waiting[id] = nil
    report.settle(owner.reportIndex)
    if let added = objects.first(where: { $0.mark.isBound(to: self) && $0.mark.record == id }) {
      if let object = added.object { finished.append(object) }
    } else {
      finished.append(responder)
    }
  }
}
