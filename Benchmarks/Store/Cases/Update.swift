/// The `update` case: two of the six columns of one player in ten are changed and saved together.
struct Update: StoreCase {
  static let name = "update"
  static let bar = 1.4
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.copiedPlace(for: Store.self))
    let places = fixtures.roster.places(fixtures.rows / 10)
    var found = try store.all()
    return Trial(
      answer: {
        try store.improve(&found, at: places)
        return try store.values().answer
      },
      sample: { try Stopwatch.nanoseconds($0) { try store.improve(&found, at: places) } })
  }
}

/// The `single saves` case: a thousand changes are made, with a save after each change.
struct SingleSaves: StoreCase {
  static let name = "single saves"
  static let bar = 1.2
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.copiedPlace(for: Store.self))
    let places = fixtures.roster.places(1000)
    var found = try store.all()
    return Trial(
      answer: {
        try store.improveSingly(&found, at: places)
        return try store.values().answer
      },
      sample: { try Stopwatch.nanoseconds($0) { try store.improveSingly(&found, at: places) } })
  }
}
