/// The `fetch objects` case: all players are fetched. If the store has contexts, the players are
/// fetched into a new context.
struct FetchObjects: StoreCase {
  static let name = "fetch objects"
  static let bar = 1.4
  static let reason: String? =
    "it takes as many instructions as at commit a71dc35, which reaches 1.41 by turns with it"
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    return Trial(
      answer: { try store.all().answer },
      sample: { try Stopwatch.nanoseconds($0) { try store.all() } })
  }
}

/// The `fetch values` case: all players are fetched as structs without identity.
struct FetchValues: StoreCase {
  static let name = "fetch values"
  static let bar = 1.3
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    return Trial(
      answer: { try store.values().answer },
      sample: { try Stopwatch.nanoseconds($0) { try store.values() } })
  }
}
