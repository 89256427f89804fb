/// The `filter` case: one player in thirty is fetched as an object, by a comparison without an
/// index.
struct UnindexedFilter: StoreCase {
  static let name = "filter"
  static let bar = 1.2
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    return Trial(
      answer: { try store.players(scoringBelow: Roster.lowScore).answer },
      sample: {
        try Stopwatch.nanoseconds($0) { try store.players(scoringBelow: Roster.lowScore) }
      })
  }
}

/// The `filter indexed` case: the players of one team are fetched as objects, by an index and with
/// the best score first. A team has about a hundred players.
struct IndexedFilter: StoreCase {
  static let name = "filter indexed"
  static let bar = 1.4
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    let teams = fixtures.roster.teams
    var team = 0
    return Trial(
      answer: { try store.players(ofTeam: teams / 2).answer },
      sample: {
        try Stopwatch.nanoseconds($0) {
          team = (team + 1) % teams
          return try store.players(ofTeam: team)
        }
      })
  }
}
