#if Postgres
/// A case of the suite that needs a `ServerPlayerStore`.
@MainActor protocol ServerCase {
  static var name: String { get }
  static var unit: Unit { get }
  /// The upper limit for the library's ratio to `RawServerStore`.
  static var bar: Double { get }
  /// Why the bar is missed; nil if it is not.
  static var reason: String? { get }

  init(fixtures: Fixtures)
  func trial<Store: ServerPlayerStore>(_: Store.Type) async throws -> Trial
}

extension ServerCase {
  static var reason: String? { nil }

  static func serverBenchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    BenchmarkCase(
      onServer: name, unit, fixtures, effort,
      [subject(RawServerStore.self, fixtures), subject(LineageServerStore.self, fixtures)]
        .map(\.placed),
      bar: bar, because: reason)
  }

  private static func subject<Store: ServerPlayerStore>(
    _ type: Store.Type, _ fixtures: Fixtures
  ) -> Subject {
    Subject(name: Store.name) { try await Self(fixtures: fixtures).trial(type) }
  }
}

extension StoreCase {
  /// Creates the case with stores on the server.
  static func serverBenchmark(
    _ fixtures: Fixtures, _ effort: Effort, atMost bar: Double, because reason: String? = nil
  ) -> BenchmarkCase {
    BenchmarkCase(
      onServer: name, .milliseconds, fixtures, effort,
      [subject(RawServerStore.self, fixtures), subject(LineageServerStore.self, fixtures)]
        .map(\.placed),
      bar: bar, because: reason)
  }
}

extension Subject {
  /// The subject with samples for which ``Placement`` decides where they run.
  fileprivate var placed: Subject {
    Subject(name: name) {
      let trial = try await prepare()
      let sample = trial.sample
      return Trial(
        operations: trial.operations, isCold: trial.isCold, answer: trial.answer,
        sample: { count in try await Placement.keeping { try await sample(count) } },
        besides: trial.besides)
    }
  }
}

extension BenchmarkCase {
  @MainActor fileprivate init(
    onServer name: String, _ unit: Unit, _ fixtures: Fixtures, _ effort: Effort,
    _ subjects: [Subject], bar: Double, because reason: String? = nil
  ) {
    self.init(
      suite: .postgres, name: name, parameters: [Parameter("rows", fixtures.rows)], unit: unit,
      effort: effort, baseline: RawServerStore.name, subjects: subjects,
      bars: fixtures.hasBars
        ? [
          .ratio(of: LineageServerStore.name, to: RawServerStore.name, atMost: bar).because(reason)
        ] : [])
  }
}
#endif
