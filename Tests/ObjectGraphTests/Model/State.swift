import LineageTestSupport
import ObjectGraph

/// An object as a context shows it: its row, and the changes that the next save writes.
struct Shown: Equatable, CustomStringConvertible {
  let row: Row
  /// The properties that a save would write; "inserted" for a new object.
  let changes: String

  var description: String { "\(row)\(changes.isEmpty ? "" : " (\(changes))")" }
}

extension Oracle {
  func shown(_ number: Int, _ context: Int) -> Shown? {
    guard let row = view(number, context), kinds[number] != nil else { return nil }
    guard let local = levels[context]?.local[number] else { return Shown(row: row, changes: "") }
    let changed = local.unsaved
    return Shown(
      row: row, changes: local.phase == .inserted ? "inserted" : changed.isEmpty ? "" : "\(changed)"
    )
  }

  /// Returns whether a context has unsaved changes, and whether it can undo and redo, as a text.
  func summary(_ context: Int) -> String {
    "\(hasUnsavedChanges(context) ? "unsaved" : "saved") \(levels[context]?.log?.description ?? "")"
  }
}

extension Subject {
  func shown(_ number: Int, _ context: ObjectContext) throws -> Shown? {
    guard let object = try find(number, context) else { return nil }
    let changes = object.changes
    let known = kinds[number]?.properties ?? []
    let changed = changes.properties.compactMap(known.firstIndex(of:))
    guard !object.isDeleted else { return nil }
    return Shown(
      row: row(of: value(of: object)),
      changes: changes.kind == .inserted ? "inserted" : changed.isEmpty ? "" : "\(changed)")
  }

  func summary(_ context: Int) -> String {
    guard let context = contexts[context] else { return "" }
    return (context.hasUnsavedChanges ? "unsaved" : "saved")
      + " \(context.canUndo ? "u" : "")\(context.canRedo ? "r" : "")"
  }

  /// Tells whether the invariants of each context hold.
  func checkInvariants() -> Bool {
    contexts.values.allSatisfy { $0.checkInvariants() }
  }

  private func value(of object: GraphObject) -> any Entity {
    switch object {
    case let card as Object<Card>: card.value
    case let deck as Object<Deck>: deck.value
    case let shelf as Object<Shelf>: shelf.value
    case let learner as Object<Learner>: learner.value
    case let tally as Object<Tally>: tally.value
    case let slip as Object<Slip>: slip.value
    default: Card()
    }
  }
}
