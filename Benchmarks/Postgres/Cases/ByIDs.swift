#if Postgres
/// The `by ids` case: a tenth of the players is fetched by primary key, all of them together.
struct ByIDs: ServerCase {
  static let name = "by ids"
  static let unit = Unit.milliseconds
  static let bar = 1.25
  static let reason: String? = """
    a thousand objects are made and released, where the baseline makes structs
    """
  let fixtures: Fixtures

  func trial<Store: ServerPlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    let all = store.ids(of: try store.all())
    let ids = fixtures.roster.shuffledPlaces.prefix(fixtures.rows / 10).map { all[$0] }
    return Trial(
      answer: { try store.players(withAll: ids).answer },
      sample: { try Stopwatch.nanoseconds($0) { try store.players(withAll: ids) } })
  }
}
#endif
