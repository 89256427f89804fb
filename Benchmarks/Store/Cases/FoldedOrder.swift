/// The `folded order` case: all players are fetched as objects, sorted by names of which half are not
/// ASCII. The library orders them without regard to case and diacritics, and the code written by hand
/// by their bytes.
struct FoldedOrder: StoreCase {
  static let name = "folded order"
  static let bar = 8.0
  static let hasBest = false
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try fixtures.newPlace(Store.Place.self))
    try store.insert(fixtures.roster.playersOfManyLanguages)
    return Trial(
      // The orders differ, so the answer is that of the players in another order.
      answer: { try store.sortedByName().players.sorted { $0.score < $1.score }.answer },
      sample: { try Stopwatch.nanoseconds($0) { try store.sortedByName() } })
  }
}
