/// A group of cases. The command line can name the suites to measure.
package enum Suite: String, CaseIterable {
  case resolution, store, postgres, living, restoration, app

  /// Returns all cases of the suite, in the order in which they are measured. Cases that need a
  /// higher effort than the given one are included.
  @MainActor func cases(seed: UInt64, effort: Effort) -> [BenchmarkCase] {
    switch self {
    case .resolution: resolutionCases(seed: seed)
    case .store: storeCases(seed: seed, effort: effort)
    case .postgres: postgresCases(seed: seed, effort: effort)
    case .living: livingCases(seed: seed)
    case .restoration: restorationCases(seed: seed)
    case .app: appCases()
    }
  }
}
