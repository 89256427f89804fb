package import Foundation
import Lineage
import LineageTestSupport
import ObjectGraph
import SQLiteStorage

/// A run of a random program in a world and in the model, which must agree after each step.
@MainActor
package final class EditRun {
  package let world: EditWorld
  /// Whether the steps are done by the world, and not only by the model.
  var isLive: Bool
  /// Whether the program leaves out relaunches, and whatever leads to dangling references.
  let isCalm: Bool
  var model: EditModel
  var random: SplitMix64
  package internal(set) var log: [String] = []
  /// The numbers of the next item and of the next box.
  var next = EditModel.boxes, nextBox = 0

  /// Creates a run, with rows in the store if it is live.
  package init(
    _ store: any ContextMaking, _ folder: URL, seed: UInt64, isLive: Bool = true,
    isCalm: Bool = false
  ) async throws {
    (self.isLive, self.isCalm) = (isLive, isCalm)
    random = SplitMix64(seed: seed)
    let depth = 2 + random.below(3)
    let isRootKept = random.chance(60)
    model = EditModel(layers: depth, isRootKept: isRootKept)
    world = EditWorld(store, folder, depth: depth, isRootKept: isRootKept)
    log = ["depth \(depth), root \(isRootKept ? "kept" : "not kept")"]
    let context = store.makeContext()
    for object in [0, 1, 2] + (next..<next + 3) { try external(context, insert: object) }
    (nextBox, next) = (3, next + 3)
    model.merge()
    guard isLive else { return }
    try context.save()
    try await world.launch(0)
    try compare()
  }

  private func external(_ context: ObjectContext, insert object: Int) throws {
    let row: Row = object < EditModel.boxes ? [.a: 0] : EditModel.initial
    if isLive { try world.insert(context, object, row) }
    model.rows[object] = row
  }

  // MARK: Steps

  package func step(_ seed: UInt64) async throws {
    random = SplitMix64(seed: seed)
    let layer = random.below(world.depth)
    switch random.below(100) {
    case 0..<32: try edit(layer)
    case 32..<39: try insert(layer)
    case 39..<45: try delete(layer)
    case 45..<58: try save(layer)
    case 58..<62: try saveAll(layer)
    case 62..<65:
      log.append("discard \(layer)")
      if isLive { world.contexts[layer].discard() }
      model.discard(layer)
    case 65..<69:
      let (old, count) = (model, log.count)
      try edit(layer)
      if log.count > count {
        log.append("undo \(layer)")
        if isLive { world.contexts[layer].undo() }
        model.layers[layer] = old.layers[layer]
        model.settle()
      }
    case 69..<80:
      try foreign()
      if random.chance(60) { try merge() }
    case 80..<82: try merge()
    case 82..<92:
      log.append("save the state")
      if isLive { try world.restoration?.save() }
      model.saveState()
    default: if !isCalm { try await relaunch() }
    }
    if isLive { try compare() }
  }

  /// Returns an item that a layer shows, or sometimes a box.
  private func pick(_ layer: Int, boxPercent: Int = 15) -> Int? {
    let visible = model.objects.sorted().filter {
      model.shown(layer, $0) != nil && model.layers[layer].changes[$0]?.isOrphan != true
    }
    let isBox = random.chance(boxPercent)
    let found = visible.filter { ($0 < EditModel.boxes) == isBox }
    return found.isEmpty ? nil : random.pick(found)
  }

  private func edit(_ layer: Int) throws {
    guard let object = pick(layer) else { return }
    let prop =
      object < EditModel.boxes ? .a : random.pick(isCalm ? [.a, .b, .mine] : Prop.allCases)
    let value = prop == .box ? box(layer) : random.below(3)
    guard model.shown(layer, object)?[prop] != value else { return }
    log.append("edit \(layer): \(object).\(prop) = \(value)")
    if isLive { try world.set(world.contexts[layer], object, prop, value) }
    model.set(layer, object, prop, value)
  }

  private func box(_ layer: Int) -> Int {
    isCalm || random.chance(30) ? -1 : pick(layer, boxPercent: 100) ?? -1
  }

  private func insert(_ layer: Int) throws {
    if nextBox < EditModel.boxes, random.chance(30) {
      log.append("insert \(layer): box \(nextBox)")
      if isLive { try world.insert(world.contexts[layer], nextBox, [.a: 0]) }
      model.insert(layer, nextBox, [.a: 0])
      nextBox += 1
      return
    }
    var row = EditModel.initial
    (row[.a], row[.secret], row[.box]) = (random.below(3), random.below(3), box(layer))
    log.append("insert \(layer): \(next), box \(row[.box].sure)")
    if isLive { try world.insert(world.contexts[layer], next, row) }
    model.insert(layer, next, row)
    next += 1
  }

  private func delete(_ layer: Int) throws {
    guard let object = pick(layer, boxPercent: isCalm ? 0 : 15) else { return }
    // What a second deletion below means, if the first is discarded, is not said.
    guard !model.isDeletedBelow(layer, object) else { return }
    log.append("delete \(layer): \(object)")
    if isLive { try world.delete(world.contexts[layer], object) }
    model.delete(layer, object)
  }

  private func foreign() throws {
    let context = world.store.makeContext()
    let objects = model.rows.keys.sorted()
    guard !objects.isEmpty, !random.chance(10) else {
      log.append("others insert \(next)")
      try external(context, insert: next)
      next += 1
      if isLive { try context.save() }
      return
    }
    let object = random.pick(objects)
    if random.chance(15), !isCalm || object >= EditModel.boxes {
      log.append("others delete \(object)")
      if isLive { try world.delete(context, object) }
      if object < EditModel.boxes {
        model.rows = model.rows.filter { $0.value[.box] != object }
      }
      model.rows[object] = nil
    } else {
      let prop = object < EditModel.boxes ? .a : random.pick([Prop.a, .b, .mine, .box])
      let target = isCalm ? -1 : random.pick([-1] + objects.filter { $0 < EditModel.boxes })
      let value = prop == .box ? target : random.below(3)
      log.append("others set \(object).\(prop) = \(value)")
      if isLive { try world.set(context, object, prop, value) }
      model.rows[object].sure[prop] = value
    }
    if isLive { try context.save() }
  }

  func merge() throws {
    log.append("merge")
    if isLive { try world.contexts[0].merge() }
    model.merge()
  }

  // MARK: Saves

  func save(_ layer: Int) throws {
    var policy = random.pick([EditModel.Policy.error, .error, .mine, .theirs])
    if !model.isClear(policy, layer) { policy = .error }
    func live() throws {
      let context = world.contexts[layer]
      switch policy {
      case .error: break
      case .mine: context.conflictPolicy = .mine
      case .theirs: context.conflictPolicy = .theirs
      }
      defer { context.conflictPolicy = .error }
      try context.save()
    }
    try check("save \(layer), \(policy)", layer, live) { $0.save(layer, policy) }
  }

  private func saveAll(_ layer: Int) throws {
    try check("saveAll \(layer)", 0, { try world.contexts[layer].saveAll() }) { $0.saveAll(layer) }
  }

  private func check(
    _ name: String, _ layer: Int, _ save: () throws -> Void,
    _ predict: (inout EditModel) -> Outcome
  ) throws {
    let old = model
    let expected = predict(&model)
    let found = isLive ? try world.outcome(save) : expected
    log.append("\(name): \(found)")
    // The model does not say whether a save into a parent looks for dangling references, and which
    // of two errors comes first.
    if found == .dangling, expected != .dangling {
      guard old.mayDangle else { throw Mishap("expected \(expected)") }
      model = old
    } else if found != expected {
      throw Mishap("expected \(expected)")
    }
    if layer == 0 { try merge() }
  }
}
