/// The `open` case: an existing file is opened and its first player is fetched.
struct Open: StoreCase {
  static let name = "open"
  static let bar = 2.45
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let place = try await fixtures.copiedPlace(for: Store.self)
    return Trial(
      answer: {
        let store = try await Store.open(place)
        defer { store.close() }
        return [try store.first()].compactMap(\.self).answer
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let start = ContinuousClock.now
          let store = try await Store.open(place)
          let first = try store.first()
          total += Stopwatch.nanoseconds(since: start)
          withExtendedLifetime(first) { store.close() }
        }
        return total
      })
  }
}
