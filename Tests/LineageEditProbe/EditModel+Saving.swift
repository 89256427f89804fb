extension EditModel {
  /// Saves one layer up. Whether a save into a parent looks for dangling references is not said.
  mutating func save(_ layer: Int, _ policy: Policy = .error) -> Outcome {
    guard !layers[layer].changes.isEmpty || !layers[layer].carried.isEmpty else { return .saved }
    var old = layers[layer]
    let clashes = clashes(layer)
    switch policy {
    case .error: guard clashes.isEmpty else { return .clashes(clashes) }
    case .mine: break
    case .theirs:
      for clash in clashes {
        for prop in clash.props {
          old.changes[clash.object].sure.edits[Prop(rawValue: prop).sure] = nil
        }
        if old.changes[clash.object].sure.edits.isEmpty || clash.props.isEmpty {
          old.changes[clash.object] = nil
        }
      }
    }
    if layer == 0, dangles(old, rows) { return .dangling }
    let tokens = old.carried.merging([old.token: old.saves + 1], uniquingKeysWith: max)
    for (object, change) in old.changes {
      if layer == 0 {
        rows[object] = written(change, rows[object])
      } else {
        move(object, change, to: layer - 1)
      }
    }
    if layer == 0 {
      receipts.merge(tokens, uniquingKeysWith: max)
    } else {
      layers[layer - 1].carried.merge(tokens, uniquingKeysWith: max)
    }
    layers[layer] = Layer(token: old.token, saves: old.saves + 1)
    if layer == 0 { snapshot = rows }
    settle()
    return .saved
  }

  /// Returns the conflicts that a save of the layer finds.
  private func clashes(_ layer: Int) -> Set<Clash> {
    let above = layer == 0 ? rows : snapshotOf(layer - 1)
    return Set(layers[layer].changes.compactMap { clash($0.key, $0.value, above[$0.key]) })
  }

  /// Returns a policy with which a save stores something, and inserts no deleted object again.
  func isClear(_ policy: Policy, _ layer: Int) -> Bool {
    let clashes = clashes(layer)
    return policy == .mine
      ? clashes.allSatisfy { !$0.props.isEmpty || $0.isDeletedHere }
      : clashes.count < layers[layer].changes.count || clashes.isEmpty
  }

  mutating func saveAll(_ layer: Int) -> Outcome {
    let old = self
    for layer in (0...layer).reversed() {
      let outcome = save(layer)
      if outcome != .saved {
        self = old
        return outcome
      }
    }
    return .saved
  }

  private func snapshotOf(_ layer: Int) -> [Int: Row] {
    var all: [Int: Row] = [:]
    for object in objects { all[object] = shown(layer, object) }
    return all
  }

  private func clash(_ object: Int, _ change: Change, _ above: Row?) -> Clash? {
    switch settled(change, above: above) {
    case nil: nil
    case .some(let now) where now.kind == .deleted:
      now.changedAbove.isEmpty ? nil : Clash(object: object, props: [], isDeletedHere: true)
    case .some(let now) where now.isOrphan: Clash(object: object, props: [])
    case .some(let now):
      {
        let props = now.edits.filter(\.value.isContested).map(\.key.rawValue)
        return props.isEmpty ? nil : Clash(object: object, props: Set(props))
      }()
    }
  }

  func dangles(_ layer: Layer, _ above: [Int: Row]) -> Bool {
    // Others may have linked an object with a box that is deleted here.
    let isLinked = above.contains { object, row in
      guard let box = row[.box], layer.changes[box]?.kind == .deleted else { return false }
      let change = layer.changes[object]
      return change?.kind != .deleted && change?.edits[.box] == nil
    }
    return isLinked
      || layer.changes.contains { object, change in
        guard change.kind != .deleted, object >= Self.boxes else { return false }
        let box = change.kind == .inserted ? change.row[.box].sure : change.edits[.box]?.value ?? -1
        guard box >= 0 else { return false }
        let target = layer.changes[box]
        return target?.kind == .deleted || (target?.kind != .inserted && above[box] == nil)
      }
  }

  /// Whether a reference of some layer may lead to no object.
  var mayDangle: Bool {
    layers.indices.contains { index in
      let layer = layers[index]
      return dangles(layer, index == 0 ? rows : snapshotOf(index - 1))
        || layer.changes.contains { $0.key < Self.boxes && $0.value.kind == .deleted }
    }
  }

  private func written(_ change: Change, _ row: Row?) -> Row? {
    switch change.kind {
    case .inserted: change.row
    case .deleted: nil
    case .updated: row.map { $0.merging(change.edits.mapValues(\.value)) { $1 } }
    }
  }

  private mutating func move(_ object: Int, _ change: Change, to layer: Int) {
    switch change.kind {
    case .inserted: layers[layer].changes[object] = Change(kind: .inserted, row: change.row)
    case .deleted: remove(layer, object)
    case .updated: for (prop, edit) in change.edits { set(layer, object, prop, edit.value) }
    }
  }

  // MARK: The end of the process

  mutating func saveState() { archived = layers }

  /// Launches the program again. Returns the number of branches whose edits were saved already.
  mutating func relaunch() -> Int {
    snapshot = rows
    var found = 0
    for (index, old) in archived.enumerated() {
      layers[index] = Layer(token: newToken())
      if index == 0, !isRootKept { continue }
      let changes = old.changes.compactMapValues(Self.restored)
      guard !changes.isEmpty else { continue }
      if receipts[old.token, default: 0] > old.saves {
        found += 1
        continue
      }
      layers[index] = Layer(
        changes: changes, token: old.token, saves: old.saves,
        carried: old.carried)
      // A deletion cannot be checked by values that are not in the state.
      for (object, change) in layers[index].changes where change.kind == .deleted {
        layers[index].changes[object].sure.row[.secret] = shown(index - 1, object)?[.secret]
      }
    }
    settle()
    return found
  }

  private static func restored(_ old: Change) -> Change? {
    var change = old
    change.edits[.secret] = nil
    change.row[.secret] = 0
    change.changedAbove.remove(.secret)
    change.isRestored = true
    return change.kind == .updated && change.edits.isEmpty ? nil : change
  }
}
