import Foundation
import Lineage
import LineageTestSupport
import ObjectGraph
import ResponderChain
import StateRestoration

extension EditRun {
  func relaunch() async throws {
    let way = random.below(5)
    // A launch during which nobody opens the store saves the state again, with all that waits.
    world.kill()
    try await world.launch(way)
    let found = model.relaunch()
    log.append("relaunch in way \(way), \(found) saved already")
    let report = world.restoration.sure.report
    let lines = (report.problems + report.notes).filter { $0.contains("saved") }
    log.append(contentsOf: report.problems + report.notes)
    guard (found > 0) == !lines.isEmpty else { throw Mishap("the report says \(report)") }
    guard world.contexts.allSatisfy({ !$0.canUndo }) else { throw Mishap("it can undo") }
  }

  /// Saves all layers, each of which discards its changes after a conflict.
  package func finish() async throws {
    try world.restoration?.save()
    model.saveState()
    try await relaunch()
    try compare()
    try saveEach()
  }

  /// Compares a world that another process has left with the model after the same steps, or after one
  /// step more. Then saves all layers.
  package func resume(orAfter step: UInt64) async throws {
    try await world.launch(random.below(5))
    let (old, random) = (model, random)
    do {
      _ = model.relaunch()
      try compareRows()
      try compare()
    } catch {
      let first = error
      (model, self.random) = (old, random)
      try await self.step(step)
      _ = model.relaunch()
      do {
        try compareRows()
        try compare()
      } catch { throw Mishap("\(first), or \(error)") }
    }
    isLive = true
    try saveEach()
  }

  private func saveEach() throws {
    for layer in (0..<world.depth).reversed() {
      try save(layer)
      if !model.layers[layer].changes.isEmpty {
        world.contexts[layer].discard()
        model.discard(layer)
      }
      try compare()
    }
    try compareRows()
  }

  // MARK: Comparing

  /// Compares the rows of the store, and what fetches of each context find.
  private func compareRows() throws {
    let rows = try world.store.makeContext().fetch(Item.self).map {
      "\($0.id) \(text(world.row($0.value)))"
    }
    let expected = model.rows.filter { $0.key >= EditModel.boxes }.map {
      "\(world.items[$0.key].sure) \(text($0.value))"
    }
    guard Set(rows) == Set(expected) else {
      throw Mishap("The store has \(rows.sorted()), expected \(expected.sorted())")
    }
    for layer in 0..<world.depth {
      let found = try Set(world.contexts[layer].fetch(Item.self).map(\.id))
      let expected = Set(
        model.objects.filter { $0 >= EditModel.boxes && model.shown(layer, $0) != nil }
          .map { world.items[$0].sure })
      guard found == expected else {
        throw Mishap("layer \(layer) finds \(found), expected \(expected)")
      }
    }
  }

  private func text(_ row: Row) -> String {
    row.keys.sorted().map { "\($0) \(row[$0].sure)" }.joined(separator: ", ")
  }

  func compare() throws {
    for layer in 0..<world.depth {
      let context = world.contexts[layer]
      for object in model.objects.sorted() {
        let change = model.layers[layer].changes[object]
        let (row, found) = try world.shown(layer, object)
        let hides = change?.isRestored == true && change?.isOrphan == true
        func text(_ row: Row?) -> String {
          let props =
            object < EditModel.boxes ? [.a] : Prop.allCases.filter { !hides || $0 != .secret }
          return row.map { row in props.map { "\($0) \(row[$0].sure)" }.joined(separator: ", ") }
            ?? "nil"
        }
        let expected = model.shown(layer, object)
        guard text(row) == text(expected) else {
          throw Mishap("layer \(layer), \(object) is \(text(row)), expected \(text(expected))")
        }
        guard let found else { continue }
        let edited = change?.kind == .updated ? change.sure.edits.keys.map(\.rawValue).sorted() : []
        let isSame =
          change?.kind == .inserted
          ? found.changes.kind == .inserted : found.changes.properties.sorted() == edited
        guard isSame else {
          throw Mishap("layer \(layer), \(object) has \(found.changes), expected \(edited)")
        }
      }
      let isUnsaved = !model.layers[layer].changes.isEmpty
      guard context.hasUnsavedChanges == isUnsaved else {
        throw Mishap("layer \(layer), unsaved \(!isUnsaved), expected \(isUnsaved)")
      }
    }
    let errors = world.errors.take()
    guard errors.isEmpty else { throw Mishap("\(errors)") }
  }
}
