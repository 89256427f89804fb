/// The `by id` case: a tenth of the players is fetched by primary key, in random order, inside one
/// read transaction.
struct ByID: StoreCase {
  static let name = "by id"
  static let bar = 1.5
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    let all = store.ids(of: try store.all())
    let ids = fixtures.roster.shuffledPlaces.prefix(fixtures.rows / 10).map { all[$0] }
    return Trial(
      answer: { try store.players(with: ids).answer },
      sample: { try Stopwatch.nanoseconds($0) { try store.players(with: ids) } })
  }
}
