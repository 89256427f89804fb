import LineageTestSupport
import ResponderChain
import StateRestoration

extension LawWorld {
  /// Restores a record and the records below it in the oracle, according to the documentation.
  func restore(_ record: LawRecord, _ model: LawModel) {
    model.isRestored = true
    apply(record, model)
    restoreChildren(record, model)
  }

  private func apply(_ record: LawRecord, _ model: LawModel) {
    let kind = registry.kind(record.kind)
    model.savedKind = kind ?? record.kind
    if var state = record.state {
      if kind != nil, kind == registry.name, record.version < registry.version {
        state.zoom += 100
      }
      model.saved = state
      model.heldPage = state.page
      model.heldMark = state.mark
      (model.heldPlace, model.heldSpot) = (state.place.page, state.spot.page)
      state.page = nil
      state.mark = nil
      // The numbers of the bookmarks are there already.
      (state.place.page, state.spot.page) = (nil, nil)
      model.state = state
    } else {
      model.saved = nil
      model.state.tag = 0
      model.state.zoom = 0
    }
    if model.lawClass != nil {
      model.unread = ["text", "number", "page", "place"]
      model.madeKind = kind
      model.finishes = model.finishes.map { $0 + (model.isWaiting ? 0 : 1) }
      if model.slot == nil || model.slot == LawSlot.none {
        switch record.slot {
        case .handed: model.slot = .keep
        case .value: model.slot = LawSlot.none
        default: model.slot = record.slot
        }
      }
    } else {
      model.finishes = 1
    }
  }

  private func restoreChildren(_ record: LawRecord, _ model: LawModel) {
    if !record.isOrdered { model.isOrdered = false }
    let present = model.owned.filter { $0.identifier != nil }
    var seen: [String: Int] = [:]
    var plan: [(LawRecord, LawRegistry.Fate, LawModel?)] = []
    for child in record.children where !child.isDisplaced {
      seen[child.identifier, default: 0] += 1
    }
    var ordinals: [String: Int] = [:]
    var free: [LawRecord] = []
    for child in record.children {
      let same = present.filter { $0.identifier == child.identifier }
      if child.isDisplaced {
        // A displaced record is restored only if no other record has its place.
        let isFree = seen.updateValue(1, forKey: child.identifier) == nil
        let fate = isFree ? registry.fate(child, existing: same.first) : .carried
        if isFree { free.append(child) }
        plan.append((child, fate, same.first))
        continue
      }
      let ordinal = ordinals[child.identifier, default: 0]
      ordinals[child.identifier] = ordinal + 1
      let existing = ordinal < same.count ? same[ordinal] : nil
      plan.append((child, registry.fate(child, existing: existing), existing))
    }
    let firstPresent = plan.first { $0.1 == .existing && $0.2?.role == .child }?.2
    var last: LawModel?
    var behind: LawModel?
    for (child, fate, existing) in plan {
      switch fate {
      case .vetoed: note(child, below: model, "vetoed")
      case .carried:
        let isSpare = child.isDisplaced && !free.contains { $0 === child }
        model.carried.append(
          .init(record: child, behind: behind, isDisplaced: isSpare || existing != nil))
        note(child, below: model, "carried")
        if existing != nil { model.isOrdered = false }
      case .existing:
        guard let existing else { continue }
        if existing.role == .child { last = existing }
        behind = existing
        restore(child, existing)
      case .made(let lawClass):
        let made = LawModel(lawClass)
        made.identifier = child.identifier
        made.wasMade = true
        var index: Int?
        if child.role == .child {
          let children = model.children
          if let last, let place = children.firstIndex(where: { $0 === last }) {
            index = place + 1
          } else if last == nil, let firstPresent {
            index = children.firstIndex { $0 === firstPresent }
          }
          last = made
        }
        behind = made
        model.add(made, as: child.role, at: index)
        restore(child, made)
      }
    }
  }

  private func note(_ record: LawRecord, below model: LawModel, _ outcome: String) {
    var open = [(record, path(model), outcome)]
    while let (record, above, outcome) = open.popLast() {
      let path = "\(above)|\(record.identifier)"
      outcomes.append("\(path) \(outcome)")
      let below = outcome == "vetoed" ? "dropped" : outcome
      open += record.children.map { ($0, path, below) }
    }
  }

  /// Returns the path of a responder: the identifiers of its ancestors and its own.
  func path(_ model: LawModel) -> String {
    var names: [String] = []
    var node = model
    while let parent = node.parent {
      names.append(node.identifier ?? "nil")
      node = parent
    }
    return names.reversed().map { "|\($0)" }.joined()
  }

  /// Sets the real responder of each model below `top`. Throws if the real tree differs from the
  /// models.
  func bind(_ top: LawModel) throws {
    for model in top.all {
      var found: [(Responder, Responder.Role)] = []
      model.real?.forEachOwned { found.append(($0, $1)) }
      func fits(_ one: LawModel, _ other: (Responder, Responder.Role)) -> Bool {
        if let real = one.real { return real === other.0 }
        guard let node = other.0 as? any LawNode else { return false }
        let isClass =
          switch one.lawClass {
          case .detail: node is LawDetail
          case .screen: node is LawScreen && !(node is LawDetail)
          default: node is LawPane
          }
        return isClass && one.role == other.1 && one.identifier == node.restorationIdentifier
          && one.state.tag == node.tag
      }
      func complaint() -> LawFailure {
        let expected = model.owned.map {
          "\($0.identifier ?? "nil") \($0.state.tag) \($0.lawClass as Any) \($0.role)"
        }
        let real = found.map {
          "\($0.0.restorationIdentifier ?? "nil") \(($0.0 as? any LawNode)?.tag ?? -1) \($0.0) \($0.1)"
        }
        return LawFailure(
          "below \"\(path(model))\": expected \(expected), found \(real)\n\(restoration.report)")
      }
      guard found.count == model.owned.count else { throw complaint() }
      if !model.isOrdered {
        var sorted: [LawModel] = []
        for one in found {
          guard
            let match = model.owned.first(where: { m in
              fits(m, one) && !sorted.contains { $0 === m }
            })
          else { throw complaint() }
          sorted.append(match)
        }
        model.owned = sorted
      }
      for (one, other) in zip(model.owned, found) {
        guard fits(one, other), one.role == other.1 else { throw complaint() }
        one.real = other.0
      }
    }
  }

  /// Gives waiting responders their late values if they find the notebook.
  func finishWork() {
    for model in root.all where model.isWaiting {
      guard case .value? = model.real?.resolve(Notebook.self) else { continue }
      if let page = model.heldPage { model.state.page = page }
      if let mark = model.heldMark { model.state.mark = mark }
      if let page = model.heldPlace { model.state.place.page = page }
      if let page = model.heldSpot { model.state.spot.page = page }
      (model.heldPage, model.heldMark) = (nil, nil)
      (model.heldPlace, model.heldSpot) = (nil, nil)
      model.finishes = model.finishes.map { $0 + 1 }
    }
  }
}
