import LineageTestSupport
import ObjectGraph

extension ChainWorld {
  /// Describes what can be seen in each context. A deep look also fetches.
  func look(deep: Bool) -> [String] {
    var lines: [String] = []
    for slot in contexts.indices {
      let context = contexts[slot]
      lines.append(
        "\(slot): \(context.hasUnsavedChanges) \(context.canUndo) \(context.canRedo)"
          + " \(faults[slot].reasons)")
      for (key, object) in held[slot].sorted(by: { $0.key < $1.key }) {
        let changes = object.changes
        lines.append(
          "\(slot) \(object) \(changes.kind) \(changes.properties) \(object.isDeleted)"
            + " \(object.context === context)")
        guard deep, !object.isDeleted, object.context != nil,
          let id = ids.first(where: { $0.key == key })
        else { continue }
        if Self.find(id, in: context) !== object { lines.append("\(slot) \(key): another object") }
      }
      if !context.checkInvariants() { complaints.append("the invariants of \(slot) do not hold") }
      guard deep else { continue }
      do {
        lines.append("\(slot) \(try context.fetch(Card.self, sort: { $0.question }))")
        lines.append("\(slot) \(try context.values(Deck.self)) \(try context.count(Card.self))")
        lines.append("\(slot) \(try context.values(Shelf.self))")
        lines.append("\(slot) \(try context.fetch(Learner.self))")
        if let mirror = mirrors[slot] {
          let cards = try context.fetch(mirror.cards.list.request)
          let decks = try context.fetch(mirror.decks.list.request)
          if Array(mirror.cards.list) != cards || Array(mirror.decks.list) != decks {
            complaints.append("the lists of \(slot) differ from a fetch")
          }
        }
      } catch {
        lines.append("\(slot) \(error)")
      }
    }
    if deep { lines += stored }
    return lines
  }

  /// The rows of the store.
  var stored: [String] {
    let fresh = ObjectContext(store: store)
    var lines: [String] = []
    for id in ids { if let object = Self.find(id, in: fresh) { lines.append("store \(object)") } }
    return lines
  }
}
