#if Postgres
/// The `single save` case: one column of one player is changed and saved.
struct SingleSave: ServerCase {
  static let name = "single save"
  static let unit = Unit.microseconds
  static let bar = 1.25
  static let reason: String? = """
    each commit takes the lock for which a migration waits, and notes its id and what it has changed \
    in the log
    """
  let fixtures: Fixtures

  func trial<Store: ServerPlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.copiedPlace(for: Store.self))
    let places = fixtures.roster.places(100)
    var found = try store.all()
    return Trial(
      operations: places.count,
      answer: {
        try store.improveSingly(&found, at: places)
        return try store.values().answer
      },
      sample: { try Stopwatch.nanoseconds($0) { try store.improveSingly(&found, at: places) } })
  }
}

/// The trips of the `single save` case.
struct SingleSaveTrips: ServerCase {
  static let name = "single save trips"
  static let unit = Unit.trips
  static let bar = 1.3
  let fixtures: Fixtures

  func trial<Store: ServerPlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.copiedPlace(for: Store.self))
    let places = fixtures.roster.places(100)
    var found = try store.all()
    return Trial(
      operations: places.count,
      answer: {
        try store.improveSingly(&found, at: places)
        return try store.values().answer
      },
      sample: { _ in
        let before = store.trips
        try store.improveSingly(&found, at: places)
        return Double(store.trips - before)
      })
  }
}
#endif
