import Foundation

/// A case of the store suite. It can measure each type of `PlayerStore`.
@MainActor protocol StoreCase {
  static var name: String { get }
  /// Whether `BestRawSQLite` is also a subject of the case.
  static var hasBest: Bool { get }
  /// The upper limit for the library's ratio to `RawSQLite`. It applies only if the file has
  /// `Fixtures.allRows` rows.
  static var bar: Double { get }

  init(fixtures: Fixtures)
  func trial<Store: PlayerStore>(_: Store.Type) async throws -> Trial
}

extension StoreCase {
  static var hasBest: Bool { true }

  /// Creates the benchmark case. Its baseline is `RawSQLite`, which is written by hand.
  static func benchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    BenchmarkCase(
      suite: .store, name: name, parameters: [Parameter("rows", fixtures.rows)],
      unit: .milliseconds, effort: effort, baseline: RawSQLite.name,
      subjects: [subject(RawSQLite.self, fixtures)]
        + (hasBest ? [subject(BestRawSQLite.self, fixtures)] : [])
        + [subject(LineageStore.self, fixtures)],
      bars: fixtures.hasAllRows
        ? [.ratio(of: LineageStore.name, to: RawSQLite.name, atMost: bar)] : [])
  }

  private static func subject<Store: PlayerStore>(
    _ type: Store.Type, _ fixtures: Fixtures
  ) -> Subject {
    Subject(name: Store.name) { try await Self(fixtures: fixtures).trial(type) }
  }
}
