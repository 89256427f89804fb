#if Postgres
/// The `begin` case: a moment (read transaction) begins with the fetch of one player by primary key, and
/// ends.
struct Begin: ServerCase {
  static let name = "begin"
  static let unit = Unit.microseconds
  static let bar = 3.0
  let fixtures: Fixtures

  func trial<Store: ServerPlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    let ids = store.ids(of: try store.all())
    return Trial(
      operations: 100,
      answer: { try store.begin(with: ids[ids.count / 2]).answer },
      sample: {
        try Stopwatch.nanoseconds($0) {
          for id in ids.prefix(100) { _ = try store.begin(with: id) }
        }
      })
  }
}

/// The trips of the `begin` case.
struct BeginTrips: ServerCase {
  static let name = "begin trips"
  static let unit = Unit.trips
  static let bar = 1.0
  let fixtures: Fixtures

  func trial<Store: ServerPlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    let ids = store.ids(of: try store.all())
    return Trial(
      operations: 100,
      answer: { try store.begin(with: ids[ids.count / 2]).answer },
      sample: { _ in
        let before = store.trips
        for id in ids.prefix(100) { _ = try store.begin(with: id) }
        return Double(store.trips - before)
      })
  }
}
#endif
