/// The `sql rows` case: all columns of all players are read by a statement in SQL, as tuples.
struct SQLRows: StoreCase {
  static let name = "sql rows"
  static let bar = 1.5
  static let hasBest = false
  let fixtures: Fixtures

  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial {
    let store = try await Store.open(try await fixtures.filledPlace(for: Store.self))
    return Trial(
      answer: { try store.rows().map(Player.init).answer },
      sample: { try Stopwatch.nanoseconds($0) { try store.rows() } })
  }
}

extension Player {
  fileprivate init(_ row: PlayerRow) {
    self.init(name: row.1, team: row.2, score: row.3, notes: row.4, updatedAt: row.5)
  }
}
