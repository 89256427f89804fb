/// A group of cases that can be named on the command line.
enum Suite: String, CaseIterable {
  case resolution, store, living, restoration

  /// Returns the suite's cases in the order in which they run, including cases above the given
  /// effort.
  @MainActor func cases(seed: UInt64, effort: Effort) -> [BenchmarkCase] {
    switch self {
    case .resolution: resolutionCases(seed: seed)
    case .store: storeCases(seed: seed, effort: effort)
    case .living: livingCases(seed: seed)
    case .restoration: restorationCases(seed: seed)
    }
  }
}
