/// A case of the suites of stores. It can measure each type of `PlayerStore`.
@MainActor protocol StoreCase {
  static var name: String { get }
  /// Whether `BestRawSQLite` is also a subject of the case in the store suite.
  static var hasBest: Bool { get }
  /// The upper limit for the library's ratio to `RawSQLite`. It applies only if `Fixtures.hasBars`
  /// is true.
  static var bar: Double { get }
  /// The reason why the bar is not reached, if it is not.
  static var reason: String? { get }

  init(fixtures: Fixtures)
  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial
}

extension StoreCase {
  static var hasBest: Bool { true }
  static var reason: String? { nil }

  /// Creates the benchmark case of the store suite. Its baseline is `RawSQLite`, which is written by
  /// hand.
  static func benchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    var bar = Bar.ratio(of: LineageStore.name, to: RawSQLite.name, atMost: bar)
    bar.reason = reason
    return BenchmarkCase(
      suite: .store, name: name, parameters: [Parameter("rows", fixtures.rows)],
      unit: .milliseconds, effort: effort, baseline: RawSQLite.name,
      subjects: [subject(RawSQLite.self, fixtures)]
        + (hasBest ? [subject(BestRawSQLite.self, fixtures)] : [])
        + [subject(LineageStore.self, fixtures)],
      bars: fixtures.hasBars ? [bar] : [])
  }

  static func subject<Store: PlayerStore>(_ type: Store.Type, _ fixtures: Fixtures) -> Subject {
    Subject(name: Store.name) { try await Self(fixtures: fixtures).trial(type) }
  }
}
