import LineageTestSupport
import ObjectGraph

/// A card in two root contexts of one store.
struct TwoRoots {
  let opened: OpenStore
  let mine: ObjectContext
  let theirs: ObjectContext
  let card: Object<Card>
  let other: Object<Card>

  init(_ stores: Stores, rightCount: Int = 5) async throws {
    opened = try await stores.open()
    mine = opened.makeContext()
    theirs = opened.makeContext()
    card = try mine.insert(Card("base", rightCount: rightCount))
    try mine.save()
    other = try theirs.object(with: card.id)
  }

  /// The stored values of the card; nil if the store does not have it.
  var stored: Card? { get throws { try opened.makeContext().find(card.id)?.value } }
}

/// Returns the properties in conflict, for each object of the conflict that a closure throws. The
/// result is nil if the closure throws no conflict.
func conflictProperties(_ body: () throws -> Void) -> [[String]]? {
  guard case .conflict(let reports)? = reason(body) else { return nil }
  return reports.map(\.properties)
}
