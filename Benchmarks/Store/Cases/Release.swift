/// The `release` case: all fetched players are released, and so is their context if they have one.
struct Release: StoreCase {
  static let name = "release"
  static let bar = 3.0
  static let hasBest = false
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    return Trial(
      answer: { try store.all().answer },
      sample: { iterations in
        var found: Store.Found?
        let total = try Stopwatch.nanoseconds(
          iterations, before: { found = try store.all() }, { found = nil })
        return withExtendedLifetime(found) { total }
      })
  }
}
