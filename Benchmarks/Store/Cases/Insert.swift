/// The `insert` case: all players are inserted into an empty file, in one transaction or save.
struct Insert: StoreCase {
  static let name = "insert"
  static let bar = 1.4
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let players = fixtures.roster.players
    return Trial(
      answer: {
        let place = try fixtures.newPlace(Store.Place.self)
        let store = try await Store.open(place)
        try store.insert(players)
        defer { store.close() }
        return try store.values().answer
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let place = try fixtures.newPlace(Store.Place.self)
          let store = try await Store.open(place)
          total += try Stopwatch.nanoseconds(1) { try store.insert(players) }
          store.close()
          place.remove()
        }
        return total
      })
  }
}
